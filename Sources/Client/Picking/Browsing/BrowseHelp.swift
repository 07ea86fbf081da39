/// The keys, for people.
enum BrowseHelp {
    static func lines(_ options: BrowseOptions) -> [String] {
        let accepting =
            options.isSave
            ? [
                "enter          on the first row: save here; on others: go in, or take the name",
                "alt-enter      save here, wherever the cursor is",
                "tab            to the line of the folder, and back to the name",
            ]
            : [
                "enter          on the first row: choose this folder; on others: go in",
                "alt-enter      choose the folder under the cursor without going in",
            ]
        return accepting + [
            "esc ctrl-c     choose nothing",
            "up down        ctrl-k ctrl-j ctrl-p ctrl-n; pgup pgdn by a screen",
            options.isSave
                ? "right          go in, in the line of the folder" : "right tab      go in",
            "left alt-up    go up; left and backspace where nothing is typed",
            "/ behind a name goes in; / alone, ~/ and ../ lead where they do in paths",
            "alt-n          make a folder", "alt-h          show hidden names, or not",
            "ctrl-u ctrl-w  delete to the start, a word; ctrl-y put back",
        ]
    }
}
