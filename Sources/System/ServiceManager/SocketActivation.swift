// Sockets passed by the service manager (LISTEN_FDS).
//
// They are adopted once, at the start: all of them, or none with an error. We own and close the passed
// descriptors.

import CSystemd
import Glibc
package import SystemInterface

/// A listening socket from the service manager.
package struct ActivatedSocket {
    /// `FileDescriptorName=` of the .socket unit, or the unit's name.
    package let name: String
    package let descriptor: DescriptorBox
}

/// Socket activation.
package enum SocketActivation {
    package static let mostSockets = 16

    /// Adopts the passed sockets; none without activation, and none on a second call. They are non-blocking and
    /// close-on-exec. Call it before other threads start, because it changes the environment.
    /// - Throws: `.wrongKind` if one is not a listening Unix stream socket. All are closed then.
    package static func takeSockets() throws(ServiceError) -> [ActivatedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        // On success `names` is an array that we must free, of one C string per descriptor, then NULL.
        let count = unsafe sd_listen_fds_with_names(1, &names)
        defer { unsafe freeAll(names) }
        if count < 0 { throw .systemd(count, "take the passed sockets") }

        var passed: [String] = []
        for index in 0..<Int(count) {
            passed.append(unsafe names?[index].map { unsafe String(cString: $0) } ?? "")
        }
        return try adopt(passed, from: SD_LISTEN_FDS_START)
    }

    /// Adopts the descriptors `first`, `first + 1`, … with these names, like `takeSockets`. Nothing else may
    /// own them.
    package static func adopt(
        _ names: [String], from first: Int32
    ) throws(ServiceError) -> [ActivatedSocket] {
        // From here each has an owner, which closes it if an error is thrown.
        let sockets = names.enumerated().map { index, name in
            ActivatedSocket(
                name: name,
                descriptor: DescriptorBox(OwnedDescriptor(adopting: first + Int32(index))))
        }
        if sockets.count > mostSockets {
            throw .tooManySockets(count: sockets.count, limit: mostSockets)
        }
        for socket in sockets { try check(socket) }
        return sockets
    }

    private static func check(_ socket: ActivatedSocket) throws(ServiceError) {
        let number = socket.descriptor.number
        // Its path does not matter.
        let isListening = sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, nil, 0)
        if isListening < 0 { throw .systemd(isListening, "look at descriptor \(number)") }
        if isListening == 0 { throw .wrongKind(number: number, name: socket.name) }
        do {
            try socket.descriptor.descriptor.setNonBlocking()
            try socket.descriptor.descriptor.setCloseOnExec()
        } catch { throw .system(error) }
    }

    private static func freeAll(
        _ names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) {
        guard let names = unsafe names else { return }
        var index = 0
        while let name = unsafe names[index] {
            unsafe free(name)
            index += 1
        }
        unsafe free(names)
    }
}
