// Thumbnails by the Thumbnail Managing Standard 0.9: the path of the one that shows a file as it is, which is made if
// it is missing. Programs make them, by the entries that desktops install for their own file managers, and pdftoppm
// where none is for PDF. Each runs for a limited time, and gets the very file that was found to be a regular one; what
// it makes is not trusted.

internal import MediaTypes
internal import PickerClient
internal import PickerPlugin
internal import SystemInterface

@main struct Thumbnailer: PluginProgram {
    private static let cache = ThumbnailCache.ofUser()
    private static let programs = ThumbnailPrograms.installed()
    private static var size = ThumbnailSize.large

    static let groups = [
        Group("thumbnail") { file in
            guard let cache else { throw PluginError("there is no folder for caches") }
            return try thumbnail(of: file, in: cache)
        }
    ]

    static func configure(_ settings: RawJSON, _ daemon: PluginDaemon) throws {
        guard let word = settings["size"] else {
            size = .large
            return
        }
        guard let chosen = word.string.flatMap(ThumbnailSize.init(rawValue:)) else {
            let sizes = ThumbnailSize.allCases.map(\.rawValue).joined(separator: ", ")
            throw PluginError("size is \(word), and must be one of \(sizes)")
        }
        size = chosen
    }

    private static func thumbnail(
        of file: DocumentFile, in cache: ThumbnailCache
    ) throws -> Attributes {
        _ = try file.descriptor()
        guard let shown = ShownFile(file), !cache.contains(file.pathBytes) else { return .none }
        if let path = cache.thumbnail(of: shown) { return ["file.thumbnail": path] }
        guard let tool = programs.program(for: shown.type) else { return .none }
        if cache.hasFailed(shown) { throw cannotBeShown }
        do {
            let image = try make(of: file, shown, by: tool)
            // Nobody else takes it for one of another state of the file.
            guard file.isStillTheSame() else { return .retry }
            return ["file.thumbnail": try cache.store(image, of: size, shown)]
        } catch let error as ThumbnailFault {
            guard file.isStillTheSame() else { return .retry }
            print("\(file.path): \(error)")
            try cache.storeFailure(shown)
            throw cannotBeShown
        }
    }

    /// The same whenever it is asked for: the reason is printed once.
    private static let cannotBeShown = PluginError("the program for its type can't show it")

    /// Runs a program.
    /// - Throws: ``ThumbnailFault`` if it can't show the file.
    private static func make(
        of file: DocumentFile, _ shown: ShownFile, by program: ThumbnailPrograms.Program
    ) throws -> ThumbnailImage {
        let place = try WorkFolder()
        let tool = program.tool(size: size.pixels, output: place.output)
        let outcome: Tool.Outcome
        do {
            outcome = try file.daemon.run(tool, on: file)
        } catch {
            // It took too long, or printed without end.
            guard error.code == .failed else { throw error }
            throw ThumbnailFault(description: error.message)
        }
        guard outcome.status == 0 else {
            let words =
                outcome.status < 0 ? "signal \(-outcome.status)" : "status \(outcome.status)"
            throw ThumbnailFault(description: "\(tool.program) can't show it (\(words))")
        }
        // It is an error if something else than a file is there.
        guard
            let bytes = try? PrivateFile.contents(
                of: place.output, limit: ThumbnailImage.mostBytes)
        else { throw ThumbnailFault(description: "\(tool.program) made no thumbnail") }
        guard let image = ThumbnailImage(bytes, atMost: size.pixels) else {
            throw ThumbnailFault(description: "\(tool.program) made no thumbnail of that size")
        }
        return image
    }
}

/// The sizes of the standard.
enum ThumbnailSize: String, CaseIterable {
    case normal, large
    case xLarge = "x-large"
    case xxLarge = "xx-large"

    /// The most pixels a side.
    var pixels: Int {
        switch self {
        case .normal: 128
        case .large: 256
        case .xLarge: 512
        case .xxLarge: 1024
        }
    }
}

/// Why a file can't be shown. That is remembered.
struct ThumbnailFault: Error, CustomStringConvertible {
    let description: String
}
