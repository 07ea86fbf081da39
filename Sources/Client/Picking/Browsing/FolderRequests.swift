/// A folder whose names a picker wants to know, as long as it wants them.
package struct WantedFolder: Hashable, Sendable {
    package var number: Int
    /// An absolute path.
    package var path: [UInt8]
    /// Whether names of files are wanted, too.
    package var withFiles: Bool

    package init(number: Int, path: [UInt8], withFiles: Bool) {
        self.number = number
        self.path = path
        self.withFiles = withFiles
    }
}

/// What a picker asks of the folder that it shows.
package struct FolderRequest: Hashable, Sendable {
    package enum Deed: Hashable, Sendable {
        /// Whether it is there.
        case find
        /// Whether there is a folder of this name in it.
        case findFolder([UInt8])
        /// Whether a file of this name may be written.
        case findPlace([UInt8])
        /// A new folder in it.
        case makeFolder([UInt8])
    }

    package var number: Int
    package var folder: [UInt8]
    package var deed: Deed

    package init(number: Int, folder: [UInt8], _ deed: Deed) {
        self.number = number
        self.folder = folder
        self.deed = deed
    }
}

/// The answer to a request.
package enum FolderAnswer: Equatable, Sendable {
    /// The folder is there, or was made.
    case done
    /// There is no file of the name, and one may be made.
    case free
    /// There is a file of the name, which may be written.
    case file
    /// There is a folder of the name where a file is to be.
    case folder
    /// Why not, in a sentence.
    case refused(String)
}
