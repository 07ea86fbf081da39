import EventLoops
import Glibc
import JSONText
import PluginProcesses
import SystemInterface
import TestSupport
import Testing

/// Starts no programs: each process is played by the test, at the other end of its socket.
final class ScriptedLauncher: PluginLauncher {
    /// A process that the test plays.
    final class Process: LaunchedPlugin {
        let launch: PluginLaunch
        private var socket: DescriptorBox?
        private var output: DescriptorBox?
        private let tell: (PluginEnd) -> Void
        private var incoming: [UInt8] = []
        /// How often it was told to end.
        private(set) var endings = 0
        private(set) var isOver = false
        /// Whether the end of its connection was told.
        private(set) var isDisconnected = false
        /// Whether it ends when it is told to.
        var obeys = true

        init(
            _ launch: PluginLaunch, _ socket: DescriptorBox, _ output: DescriptorBox,
            _ tell: @escaping (PluginEnd) -> Void
        ) {
            self.launch = launch
            self.socket = socket
            self.output = output
            self.tell = tell
        }

        /// Set for a service.
        var unit: String?
        var pid: Int? { isOver || unit != nil ? nil : 4711 }
        var sandbox: String? { unit == nil ? "inherited" : "full" }

        func end() {
            endings += 1
            if obeys { end(.killed(signal: SIGTERM)) }
        }

        func connectionEnded() { isDisconnected = true }

        /// Ends, as `end` says; nil if it only closes its socket.
        func end(_ end: PluginEnd?) {
            if isOver { return }
            socket = nil
            guard let end else { return }
            output = nil
            isOver = true
            tell(end)
        }

        func send(_ value: JSONValue) { send(text: value.description) }

        func send(text: String) { send(bytes: Array(text.utf8) + [0x0A]) }

        func send(bytes: [UInt8]) {
            guard let socket else { return }
            var start = 0
            while start < bytes.count {
                guard case .bytes(let count)? = try? socket.descriptor.send(bytes, from: start)
                else { return }
                start += count
            }
        }

        func print(_ text: String) {
            _ = try? output?.descriptor.writeAll(Array(text.utf8))
        }

        /// The lines that it was sent and has not read yet.
        func read() -> [JSONValue] {
            guard let socket else { return [] }
            try? socket.descriptor.setNonBlocking()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while case .bytes(let count)? = try? socket.descriptor.read(into: &buffer) {
                incoming += buffer[..<count]
            }
            try? socket.descriptor.setBlocking()
            var lines: [JSONValue] = []
            while let end = incoming.firstIndex(of: 0x0A) {
                lines.append((try? JSONValue(parsing: Array(incoming[..<end]))) ?? .null)
                incoming.removeSubrange(...end)
            }
            return lines
        }
    }

    private(set) var processes: [Process] = []
    private let loop: any EventLoop

    init(on loop: any EventLoop) { self.loop = loop }

    func launch(
        _ launch: PluginLaunch, socket: DescriptorBox, output: DescriptorBox,
        ended: @escaping (PluginEnd) -> Void
    ) -> any LaunchedPlugin {
        let process = Process(launch, socket, output) { [loop] end in
            loop.enqueue { ended(end) }
        }
        processes.append(process)
        return process
    }
}
