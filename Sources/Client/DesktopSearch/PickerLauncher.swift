// Starts pickers in terminals, which outlive this program.

/// Starts `pickerctl pick` in a terminal, and opens what is picked.
package final class PickerLauncher {
    /// The most pickers that run at once.
    package static let most = 8
    /// What a terminal runs. Paths go from one to the other with a NUL behind each, so any name is opened.
    private static let script = "\"$0\" pick -0 -- \"$@\" | xargs -0r \"$0\" open --"

    private let terminals: TerminalStarter
    private let log: (String) -> Void
    private var running = 0

    /// Starts none yet.
    ///
    /// - Parameters:
    ///   - terminals: what starts them.
    ///   - log: tells what has gone wrong.
    package init(in terminals: TerminalStarter, log: @escaping (String) -> Void) {
        self.terminals = terminals
        self.log = log
    }

    /// Starts a picker with these words typed; says in the log why it can't.
    package func launch(_ terms: [String]) {
        guard running < Self.most else {
            return log("no picker was started: \(Self.most) of them run already")
        }
        // None is longer than its terminal can pass on.
        let words = Array(terms.prefix(DesktopQuery.mostTerms))
        do throws(TerminalError) {
            _ = try terminals.start(script: Self.script, words, as: "pick") { [weak self] fault in
                self?.running -= 1
                if let fault { self?.log(fault) }
            }
            running += 1
        } catch {
            log("no picker was started: \(error)")
        }
    }
}
