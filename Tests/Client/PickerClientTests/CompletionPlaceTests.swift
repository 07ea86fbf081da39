import Testing
import pickerctl

/// What stands at a place of a command line.
@Suite struct CompletionPlaceTests {
    @Test("The place in a line says what stands there")
    func places() {
        func kind(_ words: String...) -> CompletionKind {
            CompletionPlace(
                behind: words.dropLast().map { Array($0.utf8) },
                typed: Array((words.last ?? "").utf8)
            ).kind
        }
        #expect(kind("pickerctl", "li") == .commands(below: []))
        #expect(kind("pickerctl", "like", "a", "") == .documents(areDropped: false))
        #expect(
            kind("pickerctl", "--socket", "like", "restore", "") == .documents(areDropped: true))
        #expect(kind("pickerctl", "list", "--json", "--sort", "") == .sortKeys)
        #expect(kind("pickerctl", "list", "--json", "") == .query)
        #expect(kind("pickerctl", "list", "--sort=na") == .sortKeys)
        #expect(kind("pickerctl", "list", "-s", "") == .nothing)
        #expect(kind("pickerctl", "like", "--", "--sort=na") == .documents(areDropped: false))
        #expect(kind("pickerctl", "get", "a", "") == .nothing)
        #expect(kind("pickerctl", "trash", "--undo", "") == .nothing)
        #expect(kind("pickerctl", "plugin", "run", "") == .folders)
        #expect(kind("pickerctl", "pick", "~/") == .folders)
        #expect(kind("/usr/bin/pickerd", "--log-level", "") != .nothing)
        #expect(kind("pickerctl", "no-such", "") == .nothing)
    }
}
