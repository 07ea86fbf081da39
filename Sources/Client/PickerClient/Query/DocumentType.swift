/// A sort of file, told by what its name ends in.
public struct DocumentType: Hashable, Sendable {
    /// What names of this sort end in, behind the dot.
    package let suffixes: [String]

    /// Files whose names end in a dot and one of these.
    public init(suffixes: [String]) { self.suffixes = suffixes }

    private init(listed suffixes: String) {
        self.suffixes = suffixes.split(separator: " ").map { String($0) }
    }

    /// Portable documents.
    public static let pdf = DocumentType(listed: "pdf")
    /// Texts with Markdown's marks.
    public static let markdown = DocumentType(listed: "md markdown")
    /// Plain texts.
    public static let text = DocumentType(listed: "txt text")
    /// Web pages.
    public static let html = DocumentType(listed: "html htm")
    /// Pictures.
    public static let image = DocumentType(
        listed: "png jpg jpeg gif webp svg bmp tif tiff heic avif ico")
    /// Sounds and music.
    public static let audio = DocumentType(listed: "mp3 flac ogg oga opus wav m4a aac wma")
    /// Films.
    public static let video = DocumentType(listed: "mp4 mkv webm mov avi mpg mpeg m4v ogv")
    /// Packed files.
    public static let archive = DocumentType(listed: "zip tar gz tgz bz2 xz zst 7z rar")

    /// Those that go by a name in a query's text and mean several suffixes.
    static let named: [(name: String, type: DocumentType)] = [
        ("archive", .archive), ("audio", .audio), ("html", .html), ("image", .image),
        ("markdown", .markdown), ("text", .text), ("video", .video),
    ]

    /// The sort of that name.
    static func named(by name: String) -> DocumentType? {
        named.first { $0.name == name }?.type
    }
}

extension DocumentType: ExpressibleByStringLiteral {
    /// Files whose names end in a dot and this.
    public init(stringLiteral suffix: String) { self.init(suffixes: [suffix]) }
}
