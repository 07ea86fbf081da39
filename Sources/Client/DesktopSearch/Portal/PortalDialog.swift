import Glibc
import PickerClient
import SystemInterface

// One dialog: a picker in a terminal, and a socket over which it tells what was picked.
//
// Many terminals are one process for all windows, and what was started ends at once. So it is the connection of the
// picker that says whether the dialog is there: it ends when the picker does, and the picker ends when it is closed,
// also with this program. The socket has a folder of its own for this user alone, which is removed as soon as the
// picker has connected.

/// A picker that runs in a terminal until somebody has picked.
final class PortalDialog {
    /// How it has ended.
    enum End: Equatable {
        case picked([[UInt8]])
        case cancelled
        /// It could not begin, or has broken.
        case failed(String)
    }

    /// The time after the end of what was started, until which a picker may come from it.
    static let patience = Duration.seconds(30)
    /// The most bytes of an answer: three times as many fit into a message of the bus.
    static let mostBytes = 8 << 20

    private let loop: PollLoop
    private let done: (End) -> Void
    private var place: ScratchFolder?
    private var listener: DescriptorBox?
    private var connection: DescriptorBox?
    private var watch: PollWatch?
    private var timer: PollTimer?
    private var answer: [UInt8] = []
    private var terminal: Int32?
    private var isOver = false

    /// `done` is called once, never from within `start`.
    init(on loop: PollLoop, _ done: @escaping (End) -> Void) {
        self.loop = loop
        self.done = done
    }

    /// Has a terminal started.
    ///
    /// - Parameters:
    ///   - terminals: what starts them.
    ///   - folder: where the folder of the socket is made; nil for that of temporary files.
    ///   - arguments: those of the picker that is to connect to a socket.
    /// - Throws: why there will be no dialog.
    func start(
        in terminals: TerminalStarter, folder: String?, arguments: (_ socket: String) -> [String]
    ) throws(TerminalError) {
        do throws(SystemError) {
            let place = try ScratchFolder("pickerd-dialog", in: folder)
            let path = place.path(Array("socket".utf8))
            let listener = DescriptorBox(try UnixSocket.listen(at: path))
            self.place = place
            self.listener = listener
            watch = loop.watch(listener.number, for: .readable) { [weak self] _ in self?.accept() }
        } catch {
            end()
            throw TerminalError("\(error)")
        }
        guard let place else { return }
        do throws(TerminalError) {
            terminal = try terminals.start(
                arguments(place.path(Array("socket".utf8)).description), as: "dialog"
            ) { [weak self] in self?.terminalEnded($0) }
        } catch {
            end()
            throw error
        }
    }

    /// Ends the picker, and a terminal whose picker has not begun. `done` is not called.
    func close() {
        if isOver { return }
        if let terminal, connection == nil { ChildProcess.signal(SIGTERM, group: terminal) }
        end()
    }

    private func end() {
        isOver = true
        watch?.cancel()
        timer?.cancel()
        connection = nil
        listener = nil
        place = nil
    }

    private func finish(_ outcome: End) {
        if isOver { return }
        end()
        done(outcome)
    }

    private func terminalEnded(_ fault: String?) {
        terminal = nil
        if isOver || connection != nil { return }
        // Its picker may be about to connect.
        if listener != nil { accept() }
        if isOver || connection != nil { return }
        if let fault { return finish(.failed(fault)) }
        timer = loop.schedule(after: Self.patience) { [weak self] in
            self?.finish(.failed("the terminal has ended without having started pickerctl"))
        }
    }

    private func accept() {
        guard let listener else { return }
        do throws(SystemError) {
            switch try UnixSocket.accept(on: listener.number) {
            case .wouldBlock: return
            case .connection(let accepted):
                guard try UnixSocket.peerUser(of: accepted) == CurrentProcess.uid else { return }
                connection = DescriptorBox(accepted)
            }
        } catch {
            return finish(.failed("\(error)"))
        }
        watch?.cancel()
        timer?.cancel()
        self.listener = nil
        place = nil
        guard let connection else { return }
        watch = loop.watch(connection.number, for: .readable) { [weak self] _ in self?.read() }
    }

    private func read() {
        guard let connection else { return }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        do throws(SystemError) {
            while true {
                switch try connection.descriptor.read(into: &buffer) {
                case .bytes(let count): answer += buffer[..<count]
                case .wouldBlock: return
                case .closed: return finish(Self.end(answer))
                }
                guard answer.count <= Self.mostBytes else {
                    return finish(.failed("more was picked than a message can tell of"))
                }
            }
        } catch {
            finish(.failed("\(error)"))
        }
    }

    /// What records say, of which the first is an exit status and the last is empty.
    static func end(_ answer: [UInt8]) -> End {
        var records = answer.split(separator: 0, omittingEmptySubsequences: false)
        // Behind the last NUL is nothing, and the record before it is the empty one.
        guard records.count > 2, records.removeLast().isEmpty, records.removeLast().isEmpty else {
            return .failed("pickerctl has ended without an answer")
        }
        let rest = records.dropFirst().map { Array($0) }
        switch String(decoding: records[0], as: UTF8.self) {
        case "0" where rest.isEmpty: return .failed("what was picked is no file")
        case "0" where rest.allSatisfy { $0.first == UInt8(ascii: "/") }: return .picked(rest)
        // Nothing matched what was typed, or it was cancelled.
        case "1", "130": return .cancelled
        case let status:
            let reason = rest.first.map { String(decoding: $0, as: UTF8.self) }
            return .failed(reason ?? "pickerctl has ended with status \(status)")
        }
    }
}
