// The names that programs give to files for a short time: copies while they save, locks, downloads.
//
// A name is here only if a document hardly ever has it. So where a program draws letters and digits, the drawn part must
// look drawn (`isDrawn`), and some names that programs do use are not here:
// - "*.swp" without a leading dot: Vim's swap files have the dot, and macros of SOLIDWORKS end so;
// - "5036" and so on, which Vim tries if there is a file "4913";
// - "*.tmp" and "*.bak" in general, which people name as well;
// - files "*.download": the parts of a saved web page are called so. Safari's downloads are folders.

/// Whose temporary file a name is of: a text for people.
enum TemporaryName: String {
    case backup = "a backup copy of an editor"
    case emacsSave = "a file that Emacs saves by itself"
    case emacsLock = "a lock of Emacs"
    case vimSwap = "a swap file of Vim"
    case vimProbe = "a file by which Vim tries whether it can write"
    case kateSwap = "a swap file of Kate"
    case glibSave = "a copy that GNOME programs make while they save"
    case geditSave = "a copy that gedit makes while it saves"
    case officeLock = "a lock of LibreOffice or WPS Office"
    case officeOwner = "a lock of Microsoft Office"
    case officeSave = "a copy that Microsoft Office makes while it saves"
    case libreOfficeSave = "a copy that LibreOffice makes while it saves"
    case nfs = "an open file that was deleted on NFS"
    case fuse = "an open file that was deleted on a FUSE file system"
    case sed = "a copy that sed makes while it writes"
    case rsync = "a copy that rsync makes while it writes"
    case syncthing = "a copy that Syncthing makes while it writes"
    case nextcloud = "a copy that Nextcloud makes while it writes"
    case syncDatabase = "a database of Nextcloud or ownCloud"
    case chrome = "an unfinished download of Chrome"
    case part = "an unfinished download of Firefox, KDE, or yt-dlp"
    case opera = "an unfinished download of Opera"
    case partial = "an unfinished download of a browser"
    case safari = "an unfinished download of Safari"
    case aria2 = "an unfinished download of aria2"
    case torrent = "an unfinished download of a torrent client"
    case winSCP = "an unfinished transfer of WinSCP"
    case appleDouble = "what macOS keeps of a file where it cannot store it otherwise"
}

/// Recognizes temporary names.
///
/// The first byte and the extension decide which forms are compared.
final class TemporaryNames: Sendable {
    static let shared = TemporaryNames()

    /// The longest extension that is looked for.
    private static let maxExtension = 10

    private struct Form: Sendable {
        let prefix: [UInt8]
        let suffix: [UInt8]
        let meaning: TemporaryName
        /// What the bytes between the two are like. There is at least one.
        let middle: @Sendable (Span<UInt8>, Range<Int>) -> Bool

        init(
            _ prefix: String, _ suffix: String, _ meaning: TemporaryName,
            _ middle: @escaping @Sendable (Span<UInt8>, Range<Int>) -> Bool = { _, _ in true }
        ) {
            self.prefix = Array(prefix.utf8)
            self.suffix = Array(suffix.utf8)
            self.meaning = meaning
            self.middle = middle
        }

        func matches(_ name: Span<UInt8>) -> Bool {
            guard name.count > prefix.count + suffix.count, name.begins(with: prefix),
                name.ends(with: suffix)
            else { return false }
            return middle(name, prefix.count..<name.count - suffix.count)
        }
    }

    private let extensions: NameTable
    private let meanings: [TemporaryName]
    /// The forms that begin with ".", and all others.
    private let hidden: [Form]
    private let others: [Form]
    /// The first bytes of `others`.
    private let firstBytes: ByteSet

    private init() {
        let extensions: [(String, TemporaryName)] = [
            ("part", .part), ("crdownload", .chrome), ("opdownload", .opera),
            ("partial", .partial), ("aria2", .aria2), ("!qB", .torrent), ("!ut", .torrent),
            ("bc!", .torrent), ("filepart", .winSCP), ("kate-swp", .kateSwap),
        ]
        var table = NameTable()
        for (index, (text, _)) in extensions.enumerated() {
            precondition(text.utf8.count <= Self.maxExtension)
            table.set(Array(text.utf8), to: Int32(index))
        }
        self.extensions = table
        meanings = extensions.map(\.1)
        hidden = Self.hiddenForms
        others = Self.otherForms
        var firstBytes = ByteSet()
        for form in others { firstBytes.insert(form.prefix[0]) }
        self.firstBytes = firstBytes
    }

    private static let hiddenForms = [
        Form(".#", "", .emacsLock),
        // GLib puts six drawn letters behind it.
        Form(".goutputstream-", "", .glibSave),
        Form(".gedit-save-", "", .geditSave),
        // ".~lock.a.odt#", and ".~a.docx" of WPS Office.
        Form(".~", "", .officeLock),
        Form(".nfs", "", .nfs) { $1.count >= 8 && $0.all(in: $1, \.isSmallHexDigit) },
        Form(".fuse_hidden", "", .fuse) { $0.all(in: $1, \.isSmallHexDigit) },
        Form(".syncthing.", ".tmp", .syncthing),
        Form(".com.google.Chrome.", "", .chrome) {
            $1.count == 6 && $0.all(in: $1, \.isLetterOrDigit)
        },
        Form(".org.chromium.Chromium.", "", .chrome) {
            $1.count == 6 && $0.all(in: $1, \.isLetterOrDigit)
        },
        Form(".sync_", ".db", .syncDatabase),
        Form(".sync_", ".db-wal", .syncDatabase),
        Form(".sync_", ".db-shm", .syncDatabase),
        Form("._", "", .appleDouble),
        // ".a.txt.swp", then ".swo" and so on for further sessions. Not ".swf", which is Flash.
        Form(".", "", .vimSwap) { name, range in
            let start = range.upperBound - 4
            guard start > 0, name[start] == UInt8(ascii: "."), name[start + 1] == UInt8(ascii: "s"),
                name[start + 2] == UInt8(ascii: "w")
            else { return false }
            // ".swx" is made for a moment, to see whether names have eight letters at most.
            return UInt8(ascii: "g")...UInt8(ascii: "p") ~= name[start + 3]
                || name[start + 3] == UInt8(ascii: "x")
        },
        // ".a.txt.~1f2e3d".
        Form(".", "", .nextcloud) { name, range in
            var start = range.upperBound
            while start > range.lowerBound, name[start - 1].isSmallHexDigit { start -= 1 }
            return start < range.upperBound && start - 2 > range.lowerBound
                && name[start - 1] == UInt8(ascii: "~") && name[start - 2] == UInt8(ascii: ".")
        },
        // ".a.txt.Xy12zW".
        Form(".", "", .rsync) { name, range in
            let start = range.upperBound - 6
            return start - 1 > range.lowerBound && name[start - 1] == UInt8(ascii: ".")
                && name.isDrawn(in: start..<range.upperBound)
        },
    ]

    private static let otherForms = [
        Form("#", "#", .emacsSave),
        // Vim with a folder for swap files: "%home%ada%a.txt.swp".
        Form("%", ".swp", .vimSwap),
        // "~$port.docx" while "report.docx" is open.
        Form("~$", "", .officeOwner),
        // Word's "~WRD0001.tmp" and "~WRL3421.tmp", and PowerPoint's "ppt5A7B.tmp".
        Form("~WR", ".tmp", .officeSave),
        Form("ppt", ".tmp", .officeSave) { $0.all(in: $1, \.isCapitalHexDigit) },
        // "lu21404n4rth.tmp".
        Form("lu", ".tmp", .libreOfficeSave) { name, range in
            range.count >= 5 && name[range.lowerBound].isDigit
                && name.all(in: range) { $0.isDigit || $0.isSmallLetter }
        },
        // GNU sed with -i.
        Form("sed", "", .sed) { $0.isDrawn(in: $1) },
        Form("~syncthing~", ".tmp", .syncthing),
    ]

    private static let vimProbe = Array("4913".utf8)
    private static let hexSave = Array(".tmp".utf8)
    private static let safari = Array(".download".utf8)

    /// Whose temporary name this is; nil if it is none.
    ///
    /// - Complexity: O(length), without allocation.
    func meaning(of name: Span<UInt8>, isFolder: Bool) -> TemporaryName? {
        guard name.count > 1 else { return nil }
        let last = name[name.count - 1]
        if isFolder {
            // Safari keeps the file and what it knows of it in a folder.
            return last == UInt8(ascii: "d") && name.count > Self.safari.count
                && name.ends(with: Self.safari) ? .safari : nil
        }
        if last == UInt8(ascii: "~") { return .backup }
        let first = name[0]
        if first == UInt8(ascii: ".") {
            for form in hidden where form.matches(name) { return form.meaning }
        } else if firstBytes.contains(first) {
            for form in others where form.matches(name) { return form.meaning }
        }
        if name.count == 4, name.begins(with: Self.vimProbe) { return .vimProbe }
        // Excel.
        if first.isCapitalHexDigit, name.count == 12, name.ends(with: Self.hexSave),
            name.all(in: 0..<8, \.isCapitalHexDigit)
        {
            return .officeSave
        }
        return extensionMeaning(of: name)
    }

    private func extensionMeaning(of name: Span<UInt8>) -> TemporaryName? {
        guard extensions.mayHaveEnd(of: name) else { return nil }
        var hash = NameTable.emptyHash
        var place = name.count
        let lowest = max(1, name.count - Self.maxExtension - 1)
        while place > lowest {
            place -= 1
            let byte = name[place]
            if byte == UInt8(ascii: ".") {
                guard let index = extensions.value(name, from: place + 1, hash: hash) else {
                    return nil
                }
                return meanings[Int(index)]
            }
            hash = NameTable.hash(hash, after: byte)
        }
        return nil
    }
}
