import ArgumentParser
import Picking
import SystemInterface

/// The options of `pick` with which folders are browsed.
struct BrowseArguments: ParsableArguments {
    @Flag(help: "Choose a folder, which is browsed from the one that is given, or from here.")
    var directory = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Choose a folder and a name for a file that is to be written there; this one at first.",
            valueName: "name"))
    var save: String?

    /// For pickerd-desktop alone, which listens there for what is picked. The last word is then a folder, which need not
    /// be there any more; or empty for none.
    @Option(parsing: .unconditional, help: .hidden)
    var portal: String?

    func validate() throws {
        if directory, save != nil {
            throw ValidationError("--directory and --save can't both be given; leave one out.")
        }
        guard let save else { return }
        let bytes = RawArguments.bytes(of: save)
        if bytes.contains(UInt8(ascii: "/")) {
            throw ValidationError(
                "--save \(RawArguments.shown(save)): give a name without '/', and the folder as "
                    + "the last word.")
        }
        if String(validating: bytes, as: UTF8.self) == nil {
            throw ValidationError("--save \(RawArguments.shown(save)): the name must be UTF-8.")
        }
    }

    /// What is chosen; nil for documents.
    var purpose: BrowseOptions.Purpose? {
        if let save { return .save(name: save) }
        return directory ? .directory : nil
    }

    /// The option that was given.
    var name: String { directory ? "--directory" : "--save" }

    /// The absolute path of the folder where it begins.
    static func folder(_ words: [String]) throws(CommandError) -> [UInt8] {
        guard words.count < 2 else {
            throw CommandError("give one folder: '\(RawArguments.shown(words[1]))' is one more")
        }
        let here = DocumentFinder.workingFolders().first ?? []
        guard let word = words.first else { return here }
        let bytes = RawArguments.bytes(of: word)
        let kind = RawPath(bytes: bytes).flatMap {
            try? FileStatus.of($0, followingLinks: true).kind
        }
        guard kind == .directory else {
            throw CommandError("there is no folder '\(RawArguments.shown(word))' to begin in")
        }
        let slash = UInt8(ascii: "/")
        return FolderPath.normalized(bytes.first == slash ? bytes : here + [slash] + bytes)
    }
}
