/// A plugin to begin with, which passes all checks.
protocol PluginTemplate {
    /// What is put into its folder.
    var files: [TemplateFile] { get }
    /// Whether its program is built of what is in the folder, by the `build.sh` there.
    var isBuilt: Bool { get }
}

/// A file of a plugin to begin with.
struct TemplateFile {
    /// Its path in the plugin's folder.
    let name: String
    let bytes: [UInt8]
    let isProgram: Bool

    init(_ name: String, _ bytes: [UInt8], isProgram: Bool = false) {
        self.name = name
        self.bytes = bytes
        self.isProgram = isProgram
    }

    init(_ name: String, _ text: String, isProgram: Bool = false) {
        self.init(name, Array(text.utf8), isProgram: isProgram)
    }

    var mode: UInt32 { isProgram ? 0o755 : 0o644 }
}
