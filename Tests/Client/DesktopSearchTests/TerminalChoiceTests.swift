import DesktopSearch
import Testing

@Suite struct TerminalChoiceTests {
    struct Case: Sendable {
        var setting: String?
        var variable: String?
        var installed: Set<String> = []
        let words: [String]?
    }

    @Test(
        "a terminal is that of the setting, else of the desktop, else of the variable, else a known one",
        arguments: [
            Case(
                setting: "foot --title x -e", variable: "kitty",
                installed: ["foot", "kitty", "xdg-terminal-exec"],
                words: ["/bin/foot", "--title", "x", "-e"]),
            Case(
                setting: "gnome-terminal", installed: ["gnome-terminal"],
                words: ["/bin/gnome-terminal", "--"]),
            Case(
                variable: "kitty", installed: ["xdg-terminal-exec", "kitty"],
                words: ["/bin/xdg-terminal-exec"]),
            Case(variable: "kitty", installed: ["kitty", "xterm"], words: ["/bin/kitty"]),
            Case(
                variable: "/bin/wezterm", installed: ["/bin/wezterm"],
                words: ["/bin//bin/wezterm", "start", "--"]),
            Case(
                setting: " ", variable: "", installed: ["xterm", "xfce4-terminal"],
                words: ["/bin/xfce4-terminal", "-x"]),
            Case(installed: ["xterm"], words: ["/bin/xterm", "-e"]),
            Case(setting: "absent", installed: ["xterm"], words: nil),
            Case(variable: "absent", installed: ["xterm"], words: nil),
            Case(words: nil),
        ])
    func choice(_ one: Case) throws {
        func find(_ name: String) -> String? { one.installed.contains(name) ? "/bin/" + name : nil }
        let environment = one.variable.map { ["TERMINAL": $0] } ?? [:]
        if let words = one.words {
            let choice = try TerminalChoice(
                setting: one.setting, environment: environment, find: find)
            #expect(choice.words == words)
        } else {
            #expect(throws: TerminalError.self) {
                _ = try TerminalChoice(
                    setting: one.setting, environment: environment, find: find)
            }
        }
    }

    @Test("only what leads to the object is described, and all of its methods have types")
    func interfaces() throws {
        for path in ["/", "/org", "/org/pickerd"] {
            let text = try #require(DesktopInterfaces.description(of: path))
            #expect(text.contains("<node name="))
            #expect(!text.contains("<interface"))
        }
        for path in ["/or", "/org/pickerd/Desktop/x", "/org/pickerd/Desktop2", "//"] {
            #expect(DesktopInterfaces.description(of: path) == nil, "\(path)")
        }
        func signature(_ member: String, at path: String, isRequest: Bool = false) -> String? {
            DesktopInterfaces.signature(of: member, at: path, isRequest: isRequest)
        }
        let search = DesktopInterfaces.path
        let portal = DesktopInterfaces.portalPath
        #expect(signature("org.kde.krunner1.Match", at: search) == "s")
        #expect(signature("org.kde.krunner1.Actions", at: search) == "")
        #expect(signature("org.kde.krunner1.Matches", at: search) == nil)
        #expect(signature("", at: search) == nil)
        let open = DesktopInterfaces.fileChooser + ".OpenFile"
        #expect(signature(open, at: portal) == "osssa{sv}")
        #expect(signature(open, at: search) == nil)
        #expect(signature("org.kde.krunner1.Match", at: portal) == nil)
        let close = DesktopInterfaces.request + ".Close"
        #expect(signature(close, at: "/a") == nil)
        #expect(signature(close, at: "/a", isRequest: true) == "")
        #expect(DesktopInterfaces.description(of: "/a") == nil)
        let text = DesktopInterfaces.description(of: "/a", isRequest: true)
        #expect(text?.contains("Close") == true)
    }
}
