internal import Glibc
internal import Picking
internal import SystemInterface
internal import TerminalCells

/// What is shown of a file that is no text: an image of it, if there is one, or else facts.
///
/// The image is the file itself, if that is a PNG, or its thumbnail. One that can't be drawn is for chafa(1).
struct PictureReading {
    private let request: PreviewRequest
    private let searchPath: String

    /// - Parameters:
    ///   - request: What is to be shown.
    ///   - searchPath: Where programs are sought.
    init(of request: PreviewRequest, searchPath: String) {
        self.request = request
        self.searchPath = searchPath
    }

    /// - Parameters:
    ///   - file: The open file.
    ///   - start: The bytes of it that have been read.
    ///   - status: That of the file.
    /// - Returns: what is shown.
    func content(
        of file: borrowing OwnedDescriptor, startingWith start: [UInt8], _ status: FileStatus
    ) -> FileContent {
        guard request.showsImages else { return FileContent(facts(start, status)) }
        var notes: [String] = []
        let isPNG = start.starts(with: PNGFile.signature)
        if isPNG {
            do throws(ImageFault) {
                return FileContent(try picture(try Self.rest(of: file, after: start), request.path))
            } catch { notes = ["The image can't be shown:", "\(error)"] }
        }
        if let content = thumbnail { return FileContent(content) }
        guard isPNG || request.type?.hasPrefix("image/") == true else {
            return FileContent(facts(start, status))
        }
        let hasProgram = ImageProgram.isInstalled(in: searchPath)
        if !hasProgram, !isPNG {
            notes = ["chafa, or the plugin for thumbnails,", "would show the image"]
        }
        return FileContent(facts(start, status, notes), isForImageProgram: hasProgram)
    }

    /// A picture of the document, for a small place: its thumbnail, or the file itself if that is a PNG; nil if there is
    /// none that can be shown.
    func small() -> PreviewContent? {
        if let content = thumbnail { return content }
        return request.type == "image/png" ? picture(at: request.path) : nil
    }

    private func facts(
        _ start: [UInt8], _ status: FileStatus, _ notes: [String] = []
    ) -> PreviewContent {
        let facts = BinaryFacts(
            start, status, type: request.type, columns: request.area.columns, notes: notes)
        return .text(facts.lines, firstMatch: nil, isCut: false)
    }

    private func picture(
        _ bytes: [UInt8], _ path: [UInt8]
    ) throws(ImageFault) -> PreviewContent {
        try Picture(bytes, at: path, in: request.area, on: request.terminal).content()
    }

    /// Nil if there is none that can be shown.
    private var thumbnail: PreviewContent? {
        request.thumbnail.flatMap { picture(at: $0) }
    }

    private func picture(at bytes: [UInt8]) -> PreviewContent? {
        guard let path = RawPath(bytes: bytes),
            let file = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY),
            (try? FileStatus.of(file))?.kind == .regular,
            let content = try? Self.rest(of: file, after: [])
        else { return nil }
        return try? picture(content, bytes)
    }

    /// The whole content of a file, of which the start has been read; one byte more than is decoded at most.
    private static func rest(
        of file: borrowing OwnedDescriptor, after start: [UInt8]
    ) throws(ImageFault) -> [UInt8] {
        var bytes = start
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        do throws(SystemError) {
            while bytes.count <= PNGFile.mostBytes,
                case .bytes(let count) = try file.read(into: &buffer)
            {
                bytes += buffer[..<count]
            }
        } catch { throw ImageFault("\(error.code)") }
        return bytes
    }
}
