/// The keys, for people.
enum HelpText {
    static func lines(_ options: PickOptions) -> [String] {
        if options.mode == .watch {
            return [
                "up down j k    scroll; ctrl-k ctrl-j ctrl-p ctrl-n, too",
                "pgup pgdn      scroll by a screen; space, too", "g G home end   first, last",
                "/              search; enter leaves the line, esc ends the search",
                "tab            complete a word of the search, such as type:",
                "ctrl-s alt-s   next order, reverse", "q esc ctrl-d   end",
            ]
        }
        let marks = [
            "tab shift-tab  mark and go down, up", "alt-a alt-i    mark all, invert",
            "ctrl-space     mark from the last mark to here",
        ]
        return [
            "enter          choose", "esc ctrl-c     choose nothing",
            "up down        ctrl-k ctrl-j ctrl-p ctrl-n", "pgup pgdn      by a screen",
            "alt-t          first, newest row; ctrl-end the last",
            "tab            complete a word of the query, such as type:",
        ] + (options.isMulti ? marks : []) + [
            "ctrl-s alt-s   next order, reverse", "ctrl-o         actions",
            "alt-l          like, or no longer", "alt-x          drop from the list",
            "alt-del        move to the trash", "alt-z          take back",
            "alt-g          grid, with pictures; left right are tiles there",
            "alt-p          preview; shift-up shift-down scroll it, ctrl-/ wraps its lines",
            "ctrl-u ctrl-w  delete to the start, a word; ctrl-y put back",
        ]
    }
}
