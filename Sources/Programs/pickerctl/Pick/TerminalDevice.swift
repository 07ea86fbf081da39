import CTerminal
import Glibc
package import SystemInterface
import TerminalCells

// The terminal of this program, whatever its input and output are. It is opened anew, so that it does not block here
// and still does for the shell, whose descriptors share one description. Its modes are changed only while this program
// is in the foreground: in the background they are those of another one, and the call would stop this one.
//
// The modes of before come back in `restore`, which is called on each way out, and by CTerminal after a crash.

/// A terminal that sends each key, also those that end or stop a program elsewhere.
package final class TerminalDevice {
    /// Open as long as this object lives, and so longer than the handler of crashes may use it.
    package let box: DescriptorBox
    private let before: termios
    /// What a crash writes to the terminal.
    private let rescue: [UInt8]
    /// Whether the modes are those of this program.
    private(set) var isRaw = false

    /// Opens the terminal; nothing is changed yet.
    package init(rescue: [UInt8]) throws(SystemError) {
        let file = try OwnedDescriptor.open(RawPath("/dev/tty"), flags: O_RDWR | O_NONBLOCK)
        box = DescriptorBox(file)
        self.rescue = rescue
        var modes = termios()
        // The call fills in the local variable.
        guard unsafe tcgetattr(box.number, &modes) == 0 else {
            throw SystemError(
                ErrorNumber(rawValue: errno), operation: "read the modes of /dev/tty")
        }
        before = modes
    }

    deinit { restore() }

    /// Whether this program may use the terminal.
    var isInForeground: Bool { tcgetpgrp(box.number) == getpgrp() }

    /// Whether there is no such terminal any more.
    var isGone: Bool { tcgetpgrp(box.number) < 0 }

    /// The rows and columns; 24 by 80 if unknown.
    var size: TerminalSize {
        let size = Terminal(descriptor: box.number).size
        return TerminalSize(rows: size.rows, columns: size.columns)
    }

    /// Changes the modes.
    /// - Returns: false in the background, where nothing is changed.
    package func begin() -> Bool {
        guard isInForeground else { return false }
        // The bytes are copied. Without the guard a crash leaves the terminal as it is, which is no reason to end.
        if !isRaw { _ = unsafe cterminal_arm(box.number, rescue, rescue.count) }
        var raw = before
        // Ctrl-C, Ctrl-Z, Ctrl-V and Ctrl-O are keys as others are, and so are Ctrl-S, Ctrl-Q and line feeds.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON | ISTRIP)
        // What was typed before is kept. The structure is a local variable that outlives the call.
        _ = unsafe tcsetattr(box.number, TCSADRAIN, &raw)
        isRaw = true
        return true
    }

    /// Gives the modes of before back.
    package func restore() {
        guard isRaw else { return }
        cterminal_disarm()
        isRaw = false
        guard isInForeground else { return }
        var modes = before
        // The structure is a local variable that outlives the call. TCSADRAIN would wait for a terminal that nobody
        // reads.
        _ = unsafe tcsetattr(box.number, TCSANOW, &modes)
    }

    /// What was typed; nil at the end.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        switch try? box.descriptor.read(into: &bytes) {
        case .bytes(let count): return Array(bytes[..<count])
        case .wouldBlock: return []
        case .closed, nil: return nil
        }
    }
}
