internal import Picking
internal import SystemInterface

/// What a picker asks of a folder. It may take as long as the disk does, so it is not for the loop.
enum FolderDeeds {
    static func perform(_ request: FolderRequest) -> FolderAnswer {
        let folder = request.folder
        switch request.deed {
        case .find: return find(folder)
        case .findFolder(let name): return find(FolderPath.path(folder, name))
        case .findPlace(let name): return findPlace(name, in: folder)
        case .makeFolder(let name): return make(name, in: folder)
        }
    }

    private static func find(_ path: [UInt8]) -> FolderAnswer {
        guard let path = RawPath(bytes: path) else { return .refused(sentence(.noSuchFile)) }
        do throws(SystemError) {
            let kind = try FileStatus.of(path, followingLinks: true).kind
            return kind == .directory ? .done : .refused(sentence(.notADirectory))
        } catch { return .refused(sentence(error.code)) }
    }

    private static func findPlace(_ name: [UInt8], in folder: [UInt8]) -> FolderAnswer {
        guard let place = RawPath(bytes: folder),
            let path = RawPath(bytes: FolderPath.path(folder, name))
        else { return .refused("No name can have a NUL byte") }
        do throws(SystemError) {
            switch try FileStatus.of(path).kind {
            case .directory: return .folder
            case .regular: return file(path, name)
            case .symbolicLink: return try link(path, name)
            case .socket, .other:
                return .refused("\(quoted(name)) is a pipe, a socket or a device")
            }
        } catch {
            guard error.code == .noSuchFile else { return .refused(sentence(error.code)) }
            guard let problem = WriteAccess.problemAdding(to: place) else { return .free }
            return .refused(sentence(adding: problem))
        }
    }

    private static func file(_ path: RawPath, _ name: [UInt8]) -> FolderAnswer {
        guard let problem = WriteAccess.problemWriting(path) else { return .file }
        return .refused("\(quoted(name)) is there already, and can't be written: \(problem)")
    }

    private static func link(_ path: RawPath, _ name: [UInt8]) throws(SystemError) -> FolderAnswer {
        do throws(SystemError) {
            switch try FileStatus.of(path, followingLinks: true).kind {
            case .directory: return .folder
            case .regular: return file(path, name)
            case .symbolicLink, .socket, .other:
                return .refused("\(quoted(name)) leads to a pipe, a socket or a device")
            }
        } catch {
            // A link to a file that is not there: to write it makes one there.
            if error.code == .noSuchFile { return .file }
            throw error
        }
    }

    private static func make(_ name: [UInt8], in folder: [UInt8]) -> FolderAnswer {
        guard let path = RawPath(bytes: FolderPath.path(folder, name)) else {
            return .refused("No name can have a NUL byte")
        }
        // The user's own mask takes from the mode what it is to take.
        switch OwnedDescriptor.makeFolder(path, mode: 0o777) {
        case nil: return .done
        case .alreadyExists?: return .refused("\(quoted(name)) is there already")
        case let code?: return .refused(sentence(adding: code))
        }
    }

    private static func quoted(_ name: [UInt8]) -> String {
        "'\(String(decoding: name, as: UTF8.self))'"
    }

    private static func sentence(adding code: ErrorNumber) -> String {
        switch code {
        case .permissionDenied, .notPermitted: "You may not write in this folder"
        case .noSuchFile, .notADirectory: sentence(code)
        default: "Nothing can be written in this folder: \(code)"
        }
    }

    /// Why a folder can't be read.
    static func sentence(_ code: ErrorNumber) -> String {
        switch code {
        case .noSuchFile, .notADirectory: "The folder is not there any more"
        case .permissionDenied, .notPermitted: "You may not read this folder"
        case .tooManySymbolicLinks: "Its links lead in a circle"
        case .nameTooLong: "Its path is too long"
        default: "The folder can't be read: \(code)"
        }
    }
}
