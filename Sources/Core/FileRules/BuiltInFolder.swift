// The names by which programs keep what is no document: data of version control, caches, things that are made or
// fetched anew when they are missing.
//
// A name is here only if hardly anybody gives it to a folder of documents. A common word such as "target" counts only
// beside a file that shows whose it is, its marker. Not here are "dist", "bin", "obj", "out", "venv", "coverage", and
// "DerivedData": no file beside them with a fixed name tells.

/// A folder, or in a few cases a file, with a fixed name.
struct BuiltInFolder: Sendable {
    enum Kind: Sendable { case folder, file, either }

    let name: String
    let isVersionControl: Bool
    let kind: Kind
    /// What it holds, after "holds".
    let contents: String
    /// If there are any, one of these files is in the same folder.
    let markers: [[UInt8]]

    private init(
        _ name: String, _ contents: String, _ kind: Kind = .folder, versionControl: Bool = false,
        beside markers: [String] = []
    ) {
        self.name = name
        self.contents = contents
        self.kind = kind
        isVersionControl = versionControl
        self.markers = markers.map { Array($0.utf8) }
    }

    func isMet(isFolder: Bool) -> Bool {
        switch kind {
        case .folder: isFolder
        case .file: !isFolder
        case .either: true
        }
    }

    static let all = versionControl + caches + fileManagers + made

    private static func versionControl(
        _ name: String, of program: String, _ kind: Kind = .folder
    ) -> BuiltInFolder {
        BuiltInFolder(name, "the data of \(program)", kind, versionControl: true)
    }

    private static let versionControl: [BuiltInFolder] = [
        // A file in other working trees of a repository, and in submodules.
        versionControl(".git", of: "Git", .either),
        versionControl(".hg", of: "Mercurial"),
        versionControl(".svn", of: "Subversion"),
        versionControl(".bzr", of: "Bazaar"),
        versionControl(".jj", of: "Jujutsu"),
        versionControl(".pijul", of: "Pijul"),
        versionControl(".sl", of: "Sapling"),
        versionControl("_darcs", of: "Darcs"),
        versionControl("CVS", of: "CVS"),
        versionControl("_MTN", of: "Monotone"),
        versionControl(".fslckout", of: "Fossil", .file),
        versionControl("_FOSSIL_", of: "Fossil", .file),
    ]

    private static let caches: [BuiltInFolder] = [
        // JavaScript.
        BuiltInFolder("node_modules", "packages that npm fetched"),
        BuiltInFolder("bower_components", "packages that Bower fetched"),
        BuiltInFolder("jspm_packages", "packages that jspm fetched"),
        BuiltInFolder(".npm", "packages that npm fetched"),
        BuiltInFolder(".yarn", "packages that Yarn fetched"),
        BuiltInFolder(".pnpm-store", "packages that pnpm fetched"),
        BuiltInFolder(".next", "what Next.js made"),
        BuiltInFolder(".nuxt", "what Nuxt made"),
        BuiltInFolder(".svelte-kit", "what SvelteKit made"),
        BuiltInFolder(".angular", "the cache of Angular"),
        BuiltInFolder(".parcel-cache", "the cache of Parcel"),
        BuiltInFolder(".turbo", "the cache of Turborepo"),
        BuiltInFolder(".sass-cache", "the cache of Sass"),
        BuiltInFolder("elm-stuff", "packages that Elm fetched"),
        // Python.
        BuiltInFolder("__pycache__", "what Python compiled"),
        BuiltInFolder("__pypackages__", "packages that PDM fetched"),
        BuiltInFolder(".venv", "an environment of Python"),
        BuiltInFolder(".tox", "environments that tox made"),
        BuiltInFolder(".nox", "environments that Nox made"),
        BuiltInFolder(".eggs", "packages that setuptools fetched"),
        BuiltInFolder(".mypy_cache", "the cache of mypy"),
        BuiltInFolder(".pytest_cache", "the cache of pytest"),
        BuiltInFolder(".ruff_cache", "the cache of Ruff"),
        BuiltInFolder(".hypothesis", "examples that Hypothesis found"),
        BuiltInFolder(".ipynb_checkpoints", "copies that Jupyter made"),
        // Other languages and tools.
        BuiltInFolder(".gradle", "the cache of Gradle"),
        BuiltInFolder(".dart_tool", "the cache of Dart"),
        BuiltInFolder(".stack-work", "what Stack built"),
        BuiltInFolder("dist-newstyle", "what Cabal built"),
        BuiltInFolder("nimcache", "what Nim compiled"),
        BuiltInFolder(".zig-cache", "the cache of Zig"),
        BuiltInFolder("CMakeFiles", "what CMake made"),
        BuiltInFolder("cmake-build-debug", "what CLion built"),
        BuiltInFolder("cmake-build-release", "what CLion built"),
        BuiltInFolder(".ccls-cache", "the cache of ccls"),
        BuiltInFolder(".terraform", "modules that Terraform fetched"),
        BuiltInFolder(".direnv", "the cache of direnv"),
    ]

    private static let fileManagers: [BuiltInFolder] = [
        BuiltInFolder(".cache", "caches of programs"),
        BuiltInFolder(".thumbnails", "small pictures of files"),
        BuiltInFolder(".dropbox.cache", "the cache of Dropbox"),
        BuiltInFolder(".stversions", "old versions that Syncthing keeps"),
        BuiltInFolder(".Trash", "files in the trash"),
        BuiltInFolder("lost+found", "what a check of the file system recovered"),
        BuiltInFolder("$RECYCLE.BIN", "files in the trash of Windows"),
        BuiltInFolder("System Volume Information", "data of Windows"),
        BuiltInFolder("Thumbs.db", "small pictures that Windows made", .file),
        BuiltInFolder("desktop.ini", "how Windows shows the folder", .file),
        BuiltInFolder(".DS_Store", "how macOS shows the folder", .file),
        BuiltInFolder(".Spotlight-V100", "the search index of macOS"),
        BuiltInFolder(".fseventsd", "data of macOS"),
        BuiltInFolder(".TemporaryItems", "temporary files of macOS"),
        BuiltInFolder("@eaDir", "small pictures that a Synology server made"),
    ]

    /// Common words, which need a marker.
    private static let made: [BuiltInFolder] = [
        BuiltInFolder(
            "target", "what Cargo, Maven, sbt, or Leiningen built",
            beside: ["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]),
        BuiltInFolder(
            "build", "what Gradle or Flutter built",
            beside: ["build.gradle", "build.gradle.kts", "pubspec.yaml"]),
        BuiltInFolder(".build", "what Swift built", beside: ["Package.swift"]),
        BuiltInFolder(
            "_build", "what Mix, Rebar, or Dune built",
            beside: ["mix.exs", "rebar.config", "dune-project"]),
        BuiltInFolder("deps", "packages that Mix fetched", beside: ["mix.exs"]),
        BuiltInFolder(
            "vendor", "packages that Composer or Go fetched",
            beside: ["composer.json", "go.mod"]),
        BuiltInFolder("Pods", "packages that CocoaPods fetched", beside: ["Podfile"]),
        BuiltInFolder("Carthage", "packages that Carthage fetched", beside: ["Cartfile"]),
        BuiltInFolder("zig-cache", "the cache of Zig", beside: ["build.zig"]),
        BuiltInFolder("zig-out", "what Zig built", beside: ["build.zig"]),
        BuiltInFolder("_site", "pages that Jekyll made", beside: ["_config.yml"]),
    ]

    /// The trash of a user on a removable disk.
    static func trash(_ name: String) -> BuiltInFolder {
        BuiltInFolder(name, "files in the trash of a user")
    }
}
