/// The attributes that come from one reading of a file, and what reads them.
///
///     Group("header") { file in
///         let bytes = try file.read(upTo: 65_536)
///         guard let size = PNGHeader(bytes)?.size else { return .none }
///         return ["image.width": size.width, "image.height": size.height]
///     }
///
/// An error that the reader throws is the error of that file alone; ``PluginError/retry`` has it asked for again.
public struct Group {
    /// Tells what was found out about a file of a batch. It throws when the batch is cancelled.
    public typealias Answering = (DocumentFile, Result<Attributes, any Error>) throws -> Void

    enum Reading {
        case each((DocumentFile, Set<String>) throws -> Attributes)
        case together(([DocumentFile], Set<String>, Answering) throws -> Void)
    }

    /// The name of the group in the manifest.
    public let name: String
    let reading: Reading

    /// A group whose reader reads all attributes, as one reading has them.
    ///
    /// - Parameters:
    ///   - name: the name of the group in the manifest.
    ///   - read: what reads a file.
    public init(_ name: String, read: @escaping (DocumentFile) throws -> Attributes) {
        self.name = name
        reading = .each { file, _ in try read(file) }
    }

    /// A group whose reader is told which attributes are wanted.
    ///
    /// - Parameters:
    ///   - name: the name of the group in the manifest.
    ///   - read: what reads a file. It may leave out what is not wanted, and needs not.
    public init(_ name: String, read: @escaping (DocumentFile, Set<String>) throws -> Attributes) {
        self.name = name
        reading = .each(read)
    }

    /// A group whose reader reads all files of a request together.
    ///
    /// - Parameters:
    ///   - name: the name of the group in the manifest.
    ///   - read: what reads the files; it is told which attributes are wanted, and calls its last argument for each
    ///     file. A file that it leaves out has none of the attributes; after an error, that is the error of all
    ///     files that it had not got to.
    public init(
        together name: String,
        read: @escaping ([DocumentFile], Set<String>, Answering) throws -> Void
    ) {
        self.name = name
        reading = .together(read)
    }
}
