/// A plugin in Swift that tells how many lines a text has: a beginning that passes all checks.
struct SwiftTemplate: PluginTemplate {
    /// The identifier of the plugin.
    let id: String
    /// The folder of the package of pickerd.
    let package: String

    var isBuilt: Bool { true }

    var files: [TemplateFile] {
        [
            TemplateFile("plugin.json", manifest), TemplateFile("Package.swift", packageManifest),
            TemplateFile("Sources/Plugin.swift", program),
            TemplateFile("build.sh", build, isProgram: true),
        ]
    }

    private var manifest: String {
        """
        {
          "id": "\(id)",
          "name": "Lines of texts",
          "version": "0.1.0",
          "api": {"min": 1, "max": 1},
          "exec": ["./\(id)"],
          "attributes": [
            {"name": "text.lines", "type": "integer", "group": "text", "for": ["suffix", ["txt", "md"]]}
          ],
          "limits": {"memoryMiB": 256, "callMs": 2000}
        }

        """
    }

    /// Its target has a name that no package of others has; the program gets that of the plugin by `build.sh`.
    private var packageManifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(id)",
            dependencies: [
                .package(name: "pickerd", path: "\(Self.quoted(package))", traits: ["Queues"])
            ],
            targets: [
                .executableTarget(
                    name: "Plugin", dependencies: [.product(name: "PickerPlugin", package: "pickerd")],
                    path: "Sources")
            ],
            swiftLanguageModes: [.v6])

        """
    }

    private var program: String {
        """
        // How many lines a text has.
        //
        // Build it with ./build.sh, try it with 'pickerctl plugin run', and check it with 'pickerctl plugin check'.

        import PickerPlugin

        @main struct Plugin: PluginProgram {
            /// No more is read of a file, as one may be of any size. A longer one has no attributes.
            static let longest = 1 << 20

            static let groups = [
                // The attributes of the group "text" of a file. An error is that of this file alone.
                Group("text") { file in
                    let bytes = try file.read(upTo: longest + 1)
                    if bytes.count > longest { return .none }
                    return ["text.lines": bytes.count { $0 == 0x0A }]
                }
            ]
        }

        """
    }

    private var build: String {
        """
        #!/bin/sh
        # Builds the program of this plugin, and puts it where plugin.json says that it is. While the plugin is on, the
        # daemon then starts the new one and ends the old one.
        #
        # usage: ./build.sh [OPTION OF swift build]...
        set -eu
        cd "$(dirname "$0")"
        # Where the plugin runs, the libraries of the toolchain can't be seen: the program has them in it.
        set -- -c release --static-swift-stdlib "$@"
        swift build "$@"
        install -m 755 "$(swift build "$@" --show-bin-path)/Plugin" .\(id).new
        mv .\(id).new \(id)

        """
    }

    /// A path between the quotes of a literal.
    private static func quoted(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
