// What waits for a layout to settle, while files come and go where it does not look.

import EventLoops
import SystemInterface
import TestSupport
import Testing

@Suite(.serialized) struct SettlingLayoutTests {
    @Test(
        "pickerctl layout ends, though files come outside of its window while it settles",
        arguments: [["list", "-n", "3"], ["grid", "-n", "3"], ["force", "-n", "30"]])
    func changesOutside(arguments: [String]) throws {
        let served = try ServedFolder { folder, _ in
            for number in 0..<2000 { folder.write("m\(number)") }
        }
        let drawing = try SpawnedProcess(
            try SpawnedProcess.built("pickerctl"),
            ["layout"] + arguments + ["--json", "--socket", served.daemon.socket],
            environment: ["PATH": "/usr/bin:/bin"])
        var written = 0
        let hasEnded = waitUntil {
            // Behind the window. The last of them is the last change that there is.
            if written < 200 {
                served.folder.write("z\(written)")
                written += 1
            }
            return !drawing.isRunning
        }
        #expect(hasEnded, "it waits for frames that never come")
        if !hasEnded { drawing.kill(9) }
        #expect(drawing.waitForExit() == .exited(code: 0))
        #expect(drawing.standardError == "")
        let lines = drawing.standardOutput.split(separator: "\n")
        #expect(lines.count == (arguments[0] == "force" ? 30 : 3))
    }
}
