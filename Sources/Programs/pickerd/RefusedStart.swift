internal import Glibc
internal import ServiceManager
internal import SystemInterface
internal import WireProtocol

/// The end of a start that came to nothing.
///
/// Under a service manager that listens for us, ending is not enough: the client that waits would have it
/// start us again at once, and after a few times it gives up on the socket. So whoever connects within some
/// seconds is taken, told why there is no daemon, and let go of; only then the process ends. It needs neither
/// loop nor settings, as these may be what failed.
enum RefusedStart {
    /// How long clients are told. At that pace there are at most three starts in the half minute in which
    /// the unit allows five.
    static let patience = Duration.seconds(10)
    /// The most clients that are told at a time; of more the first are cut off.
    private static let mostClients = 64

    /// Says why, tells the clients that wait if there are passed sockets, and answers the status. Passed
    /// sockets that nobody has taken yet are taken here.
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
                // Sockets of a kind that nothing can be said on; what is said of the pace holds all the same.
                complain("pickerd: \(error)")
                isActivated = true
            }
        }
        if isActivated { tellClients(on: sockets, "pickerd can't start: \(headline(of: reason))") }
        return status
    }

    /// The first line, without the label that says who speaks: below may be a help text.
    private static func headline(of reason: String) -> Substring {
        var line = reason.prefix { $0 != "\n" }
        for label in ["Error: ", "pickerd: "] where line.hasPrefix(label) {
            line = line.dropFirst(label.count)
        }
        return line
    }

    private static func tellClients(on sockets: [ActivatedSocket], _ reason: String) {
        // A loop that was being set up may have blocked the signals that end a process.
        var none = sigset_t()
        // Both calls get the address of a local variable.
        _ = unsafe sigemptyset(&none)
        _ = unsafe pthread_sigmask(SIG_SETMASK, &none, nil)

        let answer =
            WireLine.error(.notReady(reason), to: nil)
            + WireLine.notification(Goodbye(reason: "stopping"))
        // There is no loop to ask for the time.
        let end = SystemClock.monotonicNanoseconds() + patience.components.seconds * 1_000_000_000
        var clients: [DescriptorBox] = []
        while true {
            let left = end - SystemClock.monotonicNanoseconds()
            if left <= 0 { return }
            var polled = (sockets.map(\.descriptor.number) + clients.map(\.number)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            // As many structures as the array has. An interrupted wait is a short one.
            let count = unsafe poll(&polled, nfds_t(polled.count), Int32(left / 1_000_000) + 1)
            if count <= 0 { continue }
            let readable = Set(polled.filter { $0.revents != 0 }.map(\.fd))
            clients.removeAll { readable.contains($0.number) && hasGone($0) }
            for socket in sockets where readable.contains(socket.descriptor.number) {
                guard
                    case .connection(let client)? = try? UnixSocket.accept(
                        on: socket.descriptor.number)
                else { continue }
                guard let peer = try? UnixSocket.peerCredentials(of: client),
                    peer.uid == CurrentProcess.uid || peer.uid == 0
                else { continue }
                // It fits into the buffer of a new socket. What it asked is read below: closed with that
                // unread, the connection would count as broken.
                _ = try? client.send(answer)
                try? UnixSocket.finishSending(on: client)
                clients.append(DescriptorBox(client))
                if clients.count > mostClients { clients.removeFirst() }
            }
        }
    }

    /// Reads and drops what a client sent; whether that was its end.
    private static func hasGone(_ client: DescriptorBox) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        switch try? client.descriptor.read(into: &buffer) {
        case .bytes, .wouldBlock: return false
        case .closed, nil: return true
        }
    }
}
