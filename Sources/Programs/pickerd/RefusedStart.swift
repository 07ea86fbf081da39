internal import Glibc
internal import ServiceManager
internal import SystemInterface
internal import WireProtocol

/// The end of a failed start.
///
/// Under socket activation, exiting is not enough: the waiting client would make the service manager start
/// the daemon again at once, and after a few times it would give up on the socket. So for some seconds each
/// client is accepted, told why there is no daemon, and disconnected; then the process exits. This needs
/// neither loop nor settings, because these may be what failed.
enum RefusedStart {
    /// How long clients are told. At this pace there are at most three starts in the half minute in which
    /// the unit allows five.
    static let patience = Duration.seconds(10)
    /// The most clients that are told at a time; with more, the first are disconnected.
    private static let mostClients = 64

    /// Logs the reason, tells waiting clients if there are passed sockets, and returns the status. Passed
    /// sockets that were not taken yet are taken here.
    static func end(
        status: Int32, because reason: String, sockets taken: [ActivatedSocket]? = nil
    ) -> Int32 {
        complain(reason)
        var sockets = taken ?? []
        var isActivated = !sockets.isEmpty
        if taken == nil {
            do throws(ServiceError) {
                sockets = try SocketActivation.takeSockets()
                isActivated = !sockets.isEmpty
            } catch {
                // Unusable kinds of sockets; the delay applies all the same.
                complain("pickerd: \(error)")
                isActivated = true
            }
        }
        if isActivated { tellClients(on: sockets, "pickerd can't start: \(headline(of: reason))") }
        return status
    }

    /// The first line, without the program's label; a help text may follow.
    private static func headline(of reason: String) -> Substring {
        var line = reason.prefix { $0 != "\n" }
        for label in ["Error: ", "pickerd: "] where line.hasPrefix(label) {
            line = line.dropFirst(label.count)
        }
        return line
    }

    private static func tellClients(on sockets: [ActivatedSocket], _ reason: String) {
        // A loop during its setup may have blocked the signals that end a process.
        var none = sigset_t()
        // Both calls get the address of a local variable.
        _ = unsafe sigemptyset(&none)
        _ = unsafe pthread_sigmask(SIG_SETMASK, &none, nil)

        let answer =
            WireLine.error(.notReady(reason), to: nil)
            + WireLine.notification(Goodbye(reason: "stopping"))
        // There is no loop's clock.
        let end = SystemClock.monotonicNanoseconds() + patience.components.seconds * 1_000_000_000
        var clients: [DescriptorBox] = []
        while true {
            let left = end - SystemClock.monotonicNanoseconds()
            if left <= 0 { return }
            var polled = (sockets.map(\.descriptor.number) + clients.map(\.number)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            // The count is the array's. An interrupted wait is just shorter.
            let count = unsafe poll(&polled, nfds_t(polled.count), Int32(left / 1_000_000) + 1)
            if count <= 0 { continue }
            let readable = Set(polled.filter { $0.revents != 0 }.map(\.fd))
            clients.removeAll { readable.contains($0.number) && hasGone($0) }
            for socket in sockets where readable.contains(socket.descriptor.number) {
                guard
                    case .connection(let client)? = try? UnixSocket.accept(
                        on: socket.descriptor.number)
                else { continue }
                guard let user = try? UnixSocket.peerUser(of: client),
                    user == CurrentProcess.uid || user == 0
                else { continue }
                // The message fits into the buffer of a new socket. The client's request is read below:
                // closed with unread data, the connection would count as broken.
                _ = try? client.send(answer)
                try? UnixSocket.finishSending(on: client)
                clients.append(DescriptorBox(client))
                if clients.count > mostClients { clients.removeFirst() }
            }
        }
    }

    /// Discards a client's input; returns whether the client has closed.
    private static func hasGone(_ client: DescriptorBox) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        switch try? client.descriptor.read(into: &buffer) {
        case .bytes, .wouldBlock: return false
        case .closed, nil: return true
        }
    }
}
