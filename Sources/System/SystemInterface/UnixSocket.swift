// Stream sockets in the file system: listening, connecting, and peer credentials.
//
// All sockets are non-blocking and close-on-exec. Only the owner can access a listening socket's file (0600)
// and its folder: it is created with 0700, and a folder that others may write to is refused. A file left behind
// by a dead daemon is replaced, but only once nobody answers on it; a file that is no socket is never touched.

import CLinux
import Glibc

/// The outcome of an accept.
package enum Acceptance: ~Copyable {
    case connection(OwnedDescriptor)
    /// No connection is waiting.
    case wouldBlock
}

/// Stream sockets with a path.
package enum UnixSocket {
    /// The longest path of a socket's address, in bytes.
    package static let longestPath = 107

    /// A new socket that listens at `path`.
    ///
    /// A missing folder is created (0700); its parent must exist. Only the owner can read and write the
    /// socket's file. A stale file is removed first. If several processes may do so at once, each needs a
    /// `ClaimedSocket` instead.
    /// - Throws: `.addressInUse` if another process answers there, `.nameTooLong` for a path of over 107 bytes,
    ///   `.alreadyExists` if there is a file that is not a socket, `.notPermitted` if others may write to the
    ///   folder.
    package static func listen(
        at path: RawPath, backlog: Int32 = 128
    ) throws(SystemError) -> OwnedDescriptor {
        try checkLength(path, operation: "listen at")
        try preparePrivateFolder(path.folder)
        try removeStaleSocket(path)
        let socket = try newSocket()
        let number = socket.number
        // Nobody can connect before the mode is set: the socket does not listen yet.
        _ = try systemCall("listen at", path.description) {
            // The path is a C string for the length of the call.
            unsafe path.withCString { unsafe clinux_bind_path(number, $0, path.bytes.count) }
        }
        do {
            _ = try systemCall("set the mode of", path.description) {
                unsafe path.withCString { unsafe chmod($0, 0o600) }
            }
            _ = try systemCall("listen at", path.description) { Glibc.listen(number, backlog) }
        } catch {
            path.removeFile()
            throw error
        }
        return socket
    }

    /// Accepts the next connection waiting on `listener`.
    ///
    /// Connections aborted while they waited are skipped. A lack of descriptors or memory is an error that
    /// leaves the listener ready: stop watching it for a while.
    package static func accept(on listener: Int32) throws(SystemError) -> Acceptance {
        while true {
            switch outcome(of: { clinux_accept(listener) }) {
            case .success(let number): return .connection(OwnedDescriptor(adopting: number))
            case .failure(.wouldBlock): return .wouldBlock
            case .failure(let code) where code.rawValue == ECONNABORTED: continue
            case .failure(let code):
                throw SystemError(code, operation: "accept a connection")
            }
        }
    }

    /// A connection to the socket at `path`. Never blocks: a full backlog is `.wouldBlock`.
    package static func connect(to path: RawPath) throws(SystemError) -> OwnedDescriptor {
        try checkLength(path, operation: "connect to")
        let socket = try newSocket()
        let number = socket.number
        _ = try systemCall("connect to", path.description) {
            // The path is a C string for the length of the call.
            unsafe path.withCString { unsafe clinux_connect_path(number, $0, path.bytes.count) }
        }
        return socket
    }

    /// Two sockets that are connected to each other.
    package static func pair() throws(SystemError) -> DescriptorPair {
        var numbers: [Int32] = [-1, -1]
        _ = try systemCall("make a pair of sockets") {
            // The call writes two numbers, and the array has two.
            unsafe numbers.withUnsafeMutableBufferPointer {
                unsafe clinux_stream_pair($0.baseAddress)
            }
        }
        return DescriptorPair(
            first: OwnedDescriptor(adopting: numbers[0]),
            second: OwnedDescriptor(adopting: numbers[1]))
    }

    /// A socket that receives datagrams at `path`, which must not exist.
    package static func receiveDatagrams(at path: RawPath) throws(SystemError) -> OwnedDescriptor {
        try checkLength(path, operation: "receive at")
        let socket = OwnedDescriptor(
            adopting: try systemCall("make a socket") { clinux_datagram_socket() })
        let number = socket.number
        _ = try systemCall("receive at", path.description) {
            // The path is a C string for the length of the call.
            unsafe path.withCString { unsafe clinux_bind_path(number, $0, path.bytes.count) }
        }
        return socket
    }

    /// The user of the peer of `socket`, as the kernel recorded it at connect time.
    package static func peerUser(
        of socket: borrowing OwnedDescriptor
    ) throws(SystemError) -> UInt32 {
        let number = socket.number
        var user: UInt32 = 0
        _ = try systemCall("ask who connected") {
            // The pointer is to a local variable that outlives the call.
            unsafe clinux_peer_user(number, &user)
        }
        return user
    }

    /// Closes the sending side; the peer reads the end of the stream.
    package static func finishSending(
        on socket: borrowing OwnedDescriptor
    ) throws(SystemError) {
        let number = socket.number
        _ = try systemCall("finish sending") { shutdown(number, Int32(SHUT_WR)) }
    }

    /// The path that a listening socket is bound to; nil if it has none. An abstract name, which is in no
    /// folder, begins with `@`.
    package static func path(of listener: Int32) -> RawPath? {
        var address = sockaddr_un()
        let whole = socklen_t(MemoryLayout<sockaddr_un>.size)
        var length = whole
        let name: [UInt8]? = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return nil }
            // The structure is a local variable of the given size, and its bytes may be read as any type.
            let result = unsafe getsockname(
                listener, start.assumingMemoryBound(to: sockaddr.self), &length)
            if result < 0 || length > whole { return nil }
            let offset = MemoryLayout<sa_family_t>.size
            return unsafe Array(bytes[..<Int(length)].dropFirst(offset))
        }
        guard let name, let first = name.first else { return nil }
        if first == 0 { return RawPath(bytes: [UInt8(ascii: "@")] + name.dropFirst()) }
        return RawPath(bytes: name.prefix { $0 != 0 })
    }

    private static func newSocket() throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try systemCall("make a socket") { clinux_stream_socket() })
    }

    static func checkLength(
        _ path: RawPath, operation: String
    ) throws(SystemError) {
        if path.bytes.count > longestPath {
            throw SystemError(
                .nameTooLong, operation: operation, subject: path.description,
                advice: "a socket's path may have \(longestPath) bytes, "
                    + "this one has \(path.bytes.count)")
        }
        if path.bytes.isEmpty {
            throw SystemError(
                .invalidArgument, operation: operation, advice: "the socket's path is empty")
        }
    }

    /// Creates the folder, for its owner alone, or checks that nobody else may write to an existing one: they
    /// could replace our socket with theirs.
    static func preparePrivateFolder(_ folder: RawPath) throws(SystemError) {
        guard let code = OwnedDescriptor.makeFolder(folder) else { return }
        if code != .alreadyExists {
            throw SystemError(code, operation: "make the folder", subject: folder.description)
        }
        let status = try FileStatus.of(folder)
        func refusal(_ advice: String, _ code: ErrorNumber = .notPermitted) -> SystemError {
            SystemError(
                code, operation: "put a socket into", subject: folder.description, advice: advice)
        }
        let remedy = "choose a folder of your own (made by 'mkdir -m 700 FOLDER')"
        switch status.kind {
        case .directory: break
        case .symbolicLink:
            throw refusal("it is a link, which may lead elsewhere tomorrow: name the folder itself")
        default: throw refusal("it is not a folder", .notADirectory)
        }
        if status.owner != CurrentProcess.uid, status.owner != 0 {
            throw refusal(
                "it belongs to user \(status.owner), who could replace the socket: \(remedy)")
        }
        if status.permissions & 0o022 != 0 {
            let mode = String(status.permissions, radix: 8)
            throw refusal(
                "others may write to it (its mode is \(mode)) and could replace the socket: "
                    + "take that from them by 'chmod go-w', or \(remedy)")
        }
    }

    private static func removeStaleSocket(_ path: RawPath) throws(SystemError) {
        let status: FileStatus
        do {
            status = try FileStatus.of(path)
        } catch {
            if error.code == .noSuchFile { return }
            throw error
        }
        guard status.kind == .socket else {
            throw SystemError(
                .alreadyExists, operation: "listen at", subject: path.description,
                advice: "the file there is not a socket")
        }
        do {
            _ = try connect(to: path)
        } catch {
            switch error.code {
            case .connectionRefused:
                // If the file stays, bind says so.
                path.removeFile()
                return
            case .noSuchFile:
                return
            case .wouldBlock:
                break  // somebody listens, and is busy
            default:
                throw error
            }
        }
        throw SystemError(
            .addressInUse, operation: "listen at", subject: path.description,
            advice: "another process answers there")
    }
}
