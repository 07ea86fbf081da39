import FileRules
import Testing

@Suite struct BuiltInNamesTests {
    private let rules = FolderRules(DocumentRules(hidden: .keep))

    /// A name that ends with a slash is a folder's.
    private func verdict(_ name: String) -> RuleVerdict {
        let isFolder = name.last == "/"
        let bytes = Array(name.utf8).dropLast(isFolder ? 1 : 0)
        return rules.verdict(bytes, isFolder: isFolder) {
            Issue.record("the path is not needed")
            return []
        }
    }

    private func kind(_ name: String) -> RuleReason.Kind? {
        guard case .ignored(let reason) = verdict(name) else { return nil }
        return reason.kind
    }

    @Test(
        "data of version control",
        arguments: [
            ".git/", ".git", ".hg/", ".svn/", ".bzr/", "_darcs/", ".jj/", "CVS/", ".pijul/", ".sl/",
            "_MTN/", ".fslckout", "_FOSSIL_",
        ])
    func versionControl(_ name: String) {
        #expect(kind(name) == .versionControl)
    }

    @Test(
        "caches",
        arguments: [
            "node_modules/", "bower_components/", "__pycache__/", ".cache/", ".venv/", ".tox/",
            ".nox/",
            ".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".gradle/", ".terraform/", ".next/",
            ".nuxt/", ".svelte-kit/", ".parcel-cache/", ".yarn/", ".pnpm-store/", ".stack-work/",
            "dist-newstyle/", ".dart_tool/", ".ipynb_checkpoints/", "lost+found/", ".Trash/",
            ".Trash-0/", ".Trash-1000/", ".thumbnails/", "elm-stuff/", "CMakeFiles/", "Thumbs.db",
            "desktop.ini", ".DS_Store", "$RECYCLE.BIN/", "@eaDir/", "System Volume Information/",
        ])
    func caches(_ name: String) {
        #expect(kind(name) == .cache)
    }

    @Test(
        "temporary files",
        arguments: [
            "a.txt~", "#a.txt#", ".#a.txt", ".a.txt.swp", ".a.txt.swo", ".a.swg", ".a.swx",
            ".swp.swp",
            "%home%a.txt.swp", "4913", ".a.txt.kate-swp", ".goutputstream-ABC123",
            ".gedit-save-A1B2C3",
            ".~lock.a.odt#", ".~a.docx", "~$port.docx", "~WRD0001.tmp", "~WRL3421.tmp",
            "ppt5A7B.tmp",
            "5A7B3C00.tmp", "lu21404n4rth.tmp", ".nfs000000000012345600000001",
            ".fuse_hidden0000001200000001", "sedaBcD12", "sedXy12zW", ".a.txt.Xy12zW",
            ".syncthing.a.txt.tmp", "~syncthing~a.txt.tmp", ".a.txt.~1f2e3d", ".sync_1a2b.db",
            ".sync_1a2b.db-wal", ".com.google.Chrome.a1B2c3", ".org.chromium.Chromium.abcdef",
            "a.pdf.part", "a.zip.crdownload", "a.opdownload", "a.partial", "a.iso.aria2",
            "a.mkv.!qB",
            "a.!ut", "a.bc!", "a.filepart", "a.download/", "._a.txt",
        ])
    func temporary(_ name: String) {
        #expect(kind(name) == .temporary)
    }

    @Test(
        "documents with similar names",
        arguments: [
            // Files where a folder is meant, or a folder where a file is.
            "node_modules", ".cache", "lost+found", "CVS", ".Trash-1000", ".hg", "Thumbs.db/",
            "4913/",
            "a.txt~/", ".a.txt.swp/", "a.part/", "a.download", ".fslckout/", "#a#/",
            // Names that begin or end otherwise.
            "git", ".gitignore", ".github/", ".git2/", "x.git/", "node_modules2/", "Node_Modules/",
            ".Trash-/", ".Trash-me/", ".Trash-1000x/", "cvs/", "Pycache/", "thumbs.db", "cache/",
            // Common words, alone and in other places.
            "dist/", "bin/", "obj/", "out/", "env/", "venv/", "tmp/", "temp/", "Trash/",
            "coverage/",
            "DerivedData/", "target", "build", "vendor", "deps",
            // Nearly temporary.
            "~", "#", "##", "#1", "a#", "~a", "a.swp", "logo.swf", ".logo.swf", ".swp", ".swo",
            "4913.txt",
            "14913", "5036", "~$", "~WR.tmp", "~WR1", "a.tmp", "ppt.tmp", "pptx.tmp", "ppt5a7b.tmp",
            "5a7b3c00.tmp", "5A7B3C0.tmp", "5A7B3C00A.tmp", "lu.tmp", "lu2.tmp", "luna2024.tmp",
            ".nfs", ".nfsmount.conf", ".nfs1234567", ".fuse_hidden", ".fuse_hiddenx", "seductive",
            "sedatives", "sedan2020", "sedABCDEF", "sedimentary", "sed", "sedXy12z", "sedXy12zWa",
            ".config.backup", ".eslint.config", ".a.README", ".Xy12zW", "..Xy12zW", "a.txt.Xy12zW",
            ".syncthing.tmp", ".stignore", ".a~1f", ".com.google.Chrome.", ".com.google.Chrome.abc",
            ".sync_.txt", "part", ".part", "a.parts", "partial", "a.partially", "crdownload",
            "download/", ".download/", "a.downloads/", "aria2", "._", "report.pdf",
            "Brief an Ada.odt",
            "a.b.c", ".profile", ".bashrc", "2024", "x", "é.txt", "notes.", "a.qb",
        ])
    func documents(_ name: String) {
        #expect(verdict(name) == .kept)
    }

    @Test(
        "folders that count beside a marker",
        arguments: [
            ("target/", ["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]),
            ("build/", ["build.gradle", "build.gradle.kts", "pubspec.yaml"]),
            ("_build/", ["mix.exs", "rebar.config", "dune-project"]),
            (".build/", ["Package.swift"]),
            ("vendor/", ["composer.json", "go.mod"]), ("deps/", ["mix.exs"]),
            ("Pods/", ["Podfile"]),
            ("zig-out/", ["build.zig"]), ("_site/", ["_config.yml"]), ("Carthage/", ["Cartfile"]),
        ])
    func markers(_ name: String, _ markers: [String]) {
        guard case .ignoredBeside(let found, let reason) = verdict(name) else {
            Issue.record("\(name) does not depend on a marker")
            return
        }
        #expect(found == markers.map { Array($0.utf8) })
        #expect(reason.kind == .cache)
        for marker in found {
            #expect(
                FolderRules.dependents(onMarker: marker[...]).contains(
                    Array(name.utf8.dropLast())))
        }
    }

    @Test("a marker and the folders that depend on it")
    func dependents() {
        func dependents(_ name: String) -> [String] {
            FolderRules.dependents(onMarker: Array(name.utf8)[...])
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(dependents("Cargo.toml") == ["target"])
        #expect(dependents("mix.exs") == ["_build", "deps"])
        #expect(dependents("build.zig") == ["zig-cache", "zig-out"])
        #expect(dependents("cargo.toml").isEmpty)
        #expect(dependents("target").isEmpty)
        #expect(dependents("").isEmpty)
    }

    @Test("texts of reasons")
    func reasons() {
        func text(_ name: String) -> String? {
            switch verdict(name) {
            case .kept: nil
            case .ignored(let reason), .ignoredBeside(_, let reason): reason.description
            }
        }
        #expect(text(".git/") == "'.git' holds the data of Git")
        #expect(text("node_modules/") == "'node_modules' holds packages that npm fetched")
        #expect(text(".Trash-7/") == "'.Trash-7' holds files in the trash of a user")
        #expect(text("target/") == "'target' holds what Cargo, Maven, sbt, or Leiningen built")
        #expect(text(".a.swp") == "its name is that of a swap file of Vim")
    }

    @Test("names that are not UTF-8, and names of every length")
    func unusualNames() {
        for count in 1...255 {
            for byte in [0x2E, 0x7E, 0x23, 0x25, 0x34, 0x41, 0x6C, 0x70, 0x73, 0x80, 0xFF]
                as [UInt8]
            {
                let name = Array(repeating: byte, count: count)
                let verdict = rules.verdict(name[...], isFolder: false) { [] }
                let isCaught =
                    byte == 0x7E && count > 1 || byte == 0x23 && count > 2
                #expect((verdict != .kept) == isCaught, "\(byte) \(count)")
            }
        }
    }
}
