// swift-tools-version: 6.2
// The house of pickerd. What each target is for, and who may use whom: contrib/architecture.md.

import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A district of the house: a folder of `Sources`, with a folder of the same name in `Tests`. Its targets
/// use one another, and those of the districts below.
struct District {
    let name: String
    let below: [String]

    init(_ name: String, above below: [District] = []) {
        self.name = name
        self.below = below.map(\.name)
    }

    /// A target of our own in C.
    func c(_ name: String) -> Target {
        .target(name: name, path: "Sources/\(self.name)/\(name)")
    }

    /// A library of the system, which a Debian package provides.
    func library(_ name: String, _ pkgConfig: String? = nil, from package: String) -> Target {
        .systemLibrary(
            name: name, path: "Sources/\(self.name)/\(name)", pkgConfig: pkgConfig,
            providers: [.apt([package])])
    }

    func house(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(self.name)/\(name)",
            swiftSettings: strict)
    }

    func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/\(self.name)/\(name)",
            swiftSettings: strict)
    }

    func tests(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
        .testTarget(
            name: name, dependencies: dependencies + ["TestSupport"],
            path: "Tests/\(self.name)/\(name)", swiftSettings: strict)
    }
}

let libraries = District("Libraries")
let system = District("System")
let core = District("Core", above: [libraries, system])
let plugins = District("Plugins", above: [core, libraries, system])
let client = District("Client", above: [core, libraries, system])
let programs = District("Programs", above: [client, plugins, core, libraries, system])

// What others wrote is used under traits only, so that a package that wants one of the libraries fetches no
// more than it uses. Sources/Libraries/README.md says which library needs which trait.
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser",
    condition: .when(traits: ["Programs"]))
let toml: Target.Dependency = .product(
    name: "TOMLKit", package: "TOMLKit", condition: .when(traits: ["Programs"]))
let collections: Target.Dependency = .product(
    name: "DequeModule", package: "swift-collections", condition: .when(traits: ["Queues"]))

let package = Package(
    name: "pickerd",
    products: [
        .library(name: "Observables", targets: ["Observables"]),
        .library(name: "DataBus", targets: ["DataBus"]),
        .library(name: "ExactStatistics", targets: ["ExactStatistics"]),
        .library(name: "ObservableStatistics", targets: ["ObservableStatistics"]),
        .library(name: "Layouts", targets: ["Layouts"]),
        .library(name: "StateFeedback", targets: ["StateFeedback"]),
        .library(name: "PickerClient", targets: ["PickerClient"]),
        .library(name: "PickerPlugin", targets: ["PickerPlugin"]),
        .executable(name: "pickerd", targets: ["pickerd"]),
        .executable(name: "pickerctl", targets: ["pickerctl"]),
        .executable(name: "pickerd-desktop", targets: ["pickerd-desktop"]),
        .executable(name: "text-facts", targets: ["TextFacts"]),
        .executable(name: "thumbnailer", targets: ["Thumbnailer"]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(
            name: "Programs", description: "pickerd and pickerctl, and all their tests.",
            enabledTraits: ["Queues"]),
        .trait(name: "Queues", description: "What DataBus, PickerClient and PickerPlugin need."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        // Libraries
        libraries.c("CLayoutKernels"),
        libraries.c("CSwiftRuntime"),
        libraries.house("Observables", uses: ["CSwiftRuntime"]),
        libraries.house("ExactStatistics"),
        libraries.house("StateFeedback"),
        libraries.house("DataBus", uses: ["Observables", collections]),
        libraries.house("ObservableStatistics", uses: ["Observables", "ExactStatistics"]),
        libraries.house("WorkerPool"),
        libraries.house("Layouts", uses: ["CLayoutKernels", "WorkerPool"]),

        // System
        system.c("CLinux"),
        system.c("CPluginGuard"),
        system.c("CTerminal"),
        system.library("CSystemd", "libsystemd", from: "libsystemd-dev"),
        system.library("CJSONC", "json-c", from: "libjson-c-dev"),
        // Its pkg-config file defines a macro that is meant for its own build; it needs no flags.
        system.library("CUTF8Proc", from: "libutf8proc-dev"),
        system.library("CZlib", "zlib", from: "zlib1g-dev"),
        system.library("CSQLite", "sqlite3", from: "libsqlite3-dev"),
        system.house("SystemInterface", uses: ["CLinux", collections]),
        system.house("EventLoops", uses: ["SystemInterface"]),
        system.house(
            "SystemdEventLoop", uses: ["CSystemd", "EventLoops", "SystemInterface", collections]),
        system.house("StateFolder", uses: ["CZlib", "SystemInterface", "EventLoops"]),
        system.house("ServiceManager", uses: ["CSystemd", "SystemInterface", "EventLoops"]),
        system.house("MessageBus", uses: ["CSystemd", "SystemInterface"]),
        system.house(
            "TransientServices",
            uses: ["CSystemd", "MessageBus", "SystemInterface", "EventLoops"]),
        system.house("Database", uses: ["CSQLite", "StateFolder"]),

        // Core
        core.house("JSONText", uses: ["CJSONC"]),
        core.c("CDocumentKernels"),
        core.house("MediaTypes"),
        core.house(
            "PickerModel",
            uses: [
                "CDocumentKernels", "CUTF8Proc", "MediaTypes", "Observables", "ExactStatistics",
                "WorkerPool",
            ]),
        core.house("WireProtocol", uses: ["JSONText"]),
        core.house("FileRules"),
        core.house(
            "PluginInterface",
            uses: [
                "EventLoops", "SystemInterface", "DataBus", "PickerModel", "WireProtocol",
                "JSONText", "Observables", "ExactStatistics", "FileRules",
            ]),
        core.house(
            "DirectoryWatching",
            uses: [
                "EventLoops", "SystemInterface", "Observables", "PickerModel", "FileRules",
            ]),
        core.house(
            "PickerService",
            uses: [
                "PluginInterface", "WireProtocol", "JSONText", "SystemInterface",
                "EventLoops", "DataBus", "PickerModel", "ExactStatistics", collections,
            ]),

        // Plugins
        plugins.house("EventStorage", uses: ["StateFolder", "SystemInterface", collections]),
        plugins.house(
            "FeedStorage",
            uses: ["Database", "StateFolder", "PickerModel", "SystemInterface"]),
        plugins.house(
            "AttributeStorage", uses: ["Database", "StateFolder", "PickerModel", "SystemInterface"]),
        plugins.house(
            "AttributesPlugin",
            uses: [
                "AttributeStorage", "ListRequests", "PluginInterface", "PickerModel", "Observables",
                "WireProtocol", "JSONText", "EventLoops", "SystemInterface", collections,
            ]),
        plugins.house("DocumentStorage", uses: ["StateFolder", "SystemInterface"]),
        plugins.house(
            "PluginProcesses",
            uses: [
                "JSONText", "WireProtocol", "SystemInterface", "EventLoops",
            ]),
        plugins.house(
            "ServiceLaunching",
            uses: ["PluginProcesses", "TransientServices", "EventLoops", "SystemInterface"]),
        plugins.house(
            "ProcessesPlugin",
            uses: [
                "PluginProcesses", "ListRequests", "PluginInterface", "PickerModel", "WireProtocol",
                "JSONText", "EventLoops", "SystemInterface", collections,
            ]),
        plugins.house(
            "ListRequests",
            uses: [
                "PluginInterface", "PickerModel", "WireProtocol", "JSONText", "EventLoops",
                collections,
            ]),
        plugins.house(
            "DocumentsPlugin",
            uses: [
                "FileRules", "PluginInterface", "DirectoryWatching", "DocumentStorage",
                "PickerModel",
                "Observables", "StateFolder", "WireProtocol", "JSONText", "EventLoops",
                "SystemInterface", "MediaTypes",
            ]),
        plugins.house(
            "ItemsPlugin",
            uses: [
                "ListRequests", "PluginInterface", "PickerModel", "Observables", "WireProtocol",
                "JSONText", "EventLoops",
            ]),
        plugins.house(
            "EventsPlugin",
            uses: [
                "PluginInterface", "EventStorage", "StateFolder", "DataBus", "PickerModel",
                "Observables", "WireProtocol", "JSONText", "EventLoops", "SystemInterface",
                collections,
            ]),
        plugins.house(
            "FeedPlugin",
            uses: [
                "PluginInterface", "FeedStorage", "StateFolder", "PickerModel", "Observables",
                "WireProtocol", "JSONText", "EventLoops", "SystemInterface",
            ]),
        plugins.house(
            "StatisticsPlugin",
            uses: [
                "ListRequests", "PluginInterface", "PickerModel", "WireProtocol", "JSONText",
                "EventLoops",
            ]),
        plugins.house(
            "LayoutsPlugin",
            uses: [
                "PluginInterface", "Layouts", "DataBus", "WireProtocol", "JSONText",
                "EventLoops", "SystemInterface",
            ]),
        plugins.house(
            "ActionsPlugin",
            uses: [
                "PluginInterface", "PickerModel", "MediaTypes", "WireProtocol", "JSONText",
                "TransientServices", "EventLoops", "SystemInterface", collections,
            ]),

        // Client
        client.house("TerminalCells"),
        client.house(
            "Picking",
            uses: ["TerminalCells", "PickerClient", "WireProtocol", "StateFeedback"]),
        client.house(
            "Previews",
            uses: [
                "TerminalCells", "Picking", "PickerClient", "SystemInterface", "StateFeedback",
            ]),
        client.house(
            "PickerClient",
            uses: [
                "WireProtocol", "JSONText", "MediaTypes", "SystemInterface", "Observables",
                "StateFeedback", collections,
            ]),
        client.house(
            "DesktopSearch",
            uses: [
                "MessageBus", "PickerClient", "TerminalCells", "MediaTypes", "SystemInterface",
            ]),
        client.house(
            "PickerPlugin",
            uses: [
                "PickerClient", "WireProtocol", "JSONText", "MediaTypes", "SystemInterface",
                collections,
            ]),

        // Programs
        programs.program(
            "pickerd",
            uses: [
                "FileRules", "PickerService", "PluginInterface", "ServiceManager",
                "DocumentsPlugin", "ItemsPlugin", "EventsPlugin", "FeedPlugin", "StatisticsPlugin",
                "LayoutsPlugin", "ActionsPlugin", "AttributesPlugin", "ProcessesPlugin",
                "PluginProcesses", "ServiceLaunching",
                "DirectoryWatching", "EventLoops", "SystemdEventLoop", "SystemInterface", "DataBus",
                "Observables", "MediaTypes", "PickerModel", "WireProtocol", "JSONText",
                "CPluginGuard", argumentParser, toml,
            ]),
        programs.program(
            "pickerctl",
            uses: [
                "TerminalCells", "Picking", "Previews", "StateFeedback",
                "PickerClient", "PluginProcesses", "WireProtocol", "JSONText", "SystemInterface",
                "EventLoops", "Observables", "CPluginGuard", "CTerminal", argumentParser,
            ]),

        programs.program(
            "pickerd-desktop",
            uses: [
                "DesktopSearch", "MessageBus", "PickerClient", "SystemInterface", argumentParser,
            ]),

        // Plugins in Swift, in the folders of their manifests; contrib/plugins/build puts the two together.
        .executableTarget(
            name: "TextFacts", dependencies: ["PickerPlugin"], path: "contrib/plugins/text",
            exclude: ["plugin.json"], swiftSettings: strict),
        .executableTarget(
            name: "Thumbnailer",
            dependencies: ["PickerPlugin", "PickerClient", "MediaTypes", "SystemInterface"],
            path: "contrib/plugins/thumbnails", exclude: ["plugin.json"], swiftSettings: strict),

        // Tests
        .target(name: "CCosts", path: "Tests/Support/CCosts"),
        .target(name: "CTestSettings", path: "Tests/Support/CTestSettings"),
        .target(
            name: "TestSupport",
            dependencies: [
                "CCosts", "CTestSettings", "EventLoops", "SystemInterface", "StateFolder",
                "WireProtocol", "JSONText", collections,
            ],
            path: "Tests/Support/TestSupport", swiftSettings: strict),
        .executableTarget(
            name: "SamplePlugin", dependencies: ["PickerPlugin", "PickerClient"],
            path: "Tests/Support/SamplePlugin", swiftSettings: strict),
        libraries.tests("ObservablesTests", uses: ["Observables"]),
        libraries.tests("ExactStatisticsTests", uses: ["ExactStatistics"]),
        libraries.tests(
            "ObservableStatisticsTests",
            uses: ["ObservableStatistics", "Observables", "ExactStatistics"]),
        libraries.tests("WorkerPoolTests", uses: ["WorkerPool"]),
        libraries.tests("LayoutsTests", uses: ["Layouts"]),
        libraries.tests("StateFeedbackTests", uses: ["StateFeedback"]),
        libraries.tests("DataBusTests", uses: ["DataBus", "Observables"]),
        system.tests("SystemInterfaceTests", uses: ["SystemInterface"]),
        system.tests(
            "SystemdEventLoopTests", uses: ["EventLoops", "SystemdEventLoop", "SystemInterface"]),
        system.tests(
            "ServiceManagerTests",
            uses: ["ServiceManager", "EventLoops", "SystemInterface"]),
        system.tests(
            "TransientServicesTests",
            uses: [
                "TransientServices", "MessageBus", "EventLoops", "SystemdEventLoop",
                "SystemInterface",
            ]),
        core.tests("JSONTextTests", uses: ["JSONText"]),
        core.tests("MediaTypesTests", uses: ["MediaTypes"]),
        core.tests(
            "PickerModelTests",
            uses: [
                "PickerModel", "CDocumentKernels", "MediaTypes", "Observables", "ExactStatistics",
            ]),
        core.tests("WireProtocolTests", uses: ["WireProtocol", "JSONText"]),
        core.tests("FileRulesTests", uses: ["FileRules"]),
        core.tests(
            "DirectoryWatchingTests",
            uses: [
                "DirectoryWatching", "EventLoops", "SystemdEventLoop", "SystemInterface",
                "Observables",
                "PickerModel", "FileRules",
            ]),
        core.tests(
            "PickerServiceTests",
            uses: [
                "PickerService", "DocumentsPlugin", "ItemsPlugin", "EventsPlugin",
                "FeedPlugin", "StatisticsPlugin", "LayoutsPlugin", "ListRequests",
                "PluginInterface", "EventLoops",
                "SystemInterface", "DataBus", "PickerModel", "WireProtocol", "JSONText",
                "Observables", "DirectoryWatching",
            ]),
        plugins.tests(
            "EventStorageTests", uses: ["EventStorage", "StateFolder", "SystemInterface"]),
        plugins.tests(
            "AttributeStorageTests",
            uses: ["AttributeStorage", "Database", "StateFolder", "PickerModel"]),
        plugins.tests(
            "AttributesPluginTests",
            uses: [
                "AttributesPlugin", "ActionsPlugin", "AttributeStorage", "PluginInterface",
                "PickerModel", "DataBus",
                "Observables", "WireProtocol", "JSONText", "EventLoops", "SystemInterface",
            ]),
        plugins.tests(
            "DocumentStorageTests", uses: ["DocumentStorage", "StateFolder", "SystemInterface"]),
        plugins.tests(
            "PluginProcessesTests",
            uses: [
                "PluginProcesses", "ServiceLaunching", "JSONText", "WireProtocol",
                "SystemInterface",
                "EventLoops", "TransientServices",
            ]),
        plugins.tests(
            "FeedStorageTests",
            uses: [
                "FeedStorage", "StateFolder", "PickerModel", "SystemInterface", "EventLoops",
            ]),
        plugins.tests(
            "PluginsTests",
            uses: [
                "DocumentsPlugin", "ItemsPlugin", "EventsPlugin",
                "FeedPlugin", "StatisticsPlugin", "LayoutsPlugin", "ListRequests", "StateFolder",
                "PluginInterface", "MediaTypes", "PickerModel", "DataBus", "Observables",
                "WireProtocol", "JSONText", "EventLoops", "DirectoryWatching",
                "EventStorage", "FeedStorage", "SystemInterface", "Layouts", "FileRules",
            ]),
        plugins.tests(
            "ActionsPluginTests",
            uses: [
                "ActionsPlugin", "PluginInterface", "PickerModel", "MediaTypes",
                "EventLoops", "SystemInterface",
            ]),
        plugins.tests(
            "ProcessesPluginTests",
            uses: [
                "ProcessesPlugin", "PluginProcesses", "PluginInterface", "PickerService",
                "ActionsPlugin", "AttributesPlugin", "EventsPlugin", "ItemsPlugin", "PickerModel",
                "DataBus", "WireProtocol", "JSONText",
                "Observables", "EventLoops", "SystemInterface",
            ]),
        client.tests("TerminalCellsTests", uses: ["TerminalCells"]),
        client.tests(
            "PickingTests",
            uses: ["Picking", "TerminalCells", "PickerClient", "WireProtocol", "StateFeedback"]),
        client.tests(
            "PreviewsTests",
            uses: [
                "Previews", "Picking", "TerminalCells", "PickerClient", "SystemInterface",
                "StateFeedback",
            ]),
        client.tests(
            "PickerClientTests",
            uses: [
                "PickerClient", "TerminalCells", "Picking", "pickerctl", "WireProtocol",
                "JSONText", "SystemInterface", "Observables", "StateFeedback",
            ]),
        client.tests(
            "DesktopSearchTests",
            uses: ["DesktopSearch", "PickerClient", "WireProtocol"]),
        client.tests(
            "PickerPluginTests",
            uses: [
                "PickerPlugin", "SamplePlugin", "PickerClient", "WireProtocol", "JSONText",
                "SystemInterface",
            ]),
        programs.tests(
            "IntegrationTests",
            uses: [
                "PickerClient", "PickerModel", "WireProtocol", "JSONText", "SystemInterface",
                "EventLoops", "Observables",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)

// The model is no product, so its benchmark is a target of the house; `contrib/benchmarks/run` sets the variable.
// Without it neither a build nor a package that depends on this one has these targets.
if Context.environment["PICKERD_BENCHMARKS"] != nil {
    let sources = "contrib/benchmarks/Sources"
    package.targets += [
        .target(name: "CAllocations", path: sources + "/CAllocations"),
        .target(name: "CPlainSearch", path: sources + "/CPlainSearch"),
        .target(
            name: "Measuring", dependencies: ["CAllocations"], path: sources + "/Measuring",
            swiftSettings: strict),
        .executableTarget(
            name: "DocumentsBenchmark",
            dependencies: ["CAllocations", "CPlainSearch", "Measuring", "PickerModel"],
            path: sources + "/DocumentsBenchmark", swiftSettings: strict),
    ]
}

// The districts are the layers: a target that uses one of a district above does not build.
let districts = [libraries, system, core, plugins, client, programs]
func district(of target: Target) -> District? {
    districts.first { target.path?.hasPrefix("Sources/\($0.name)/") == true }
}
for target in package.targets {
    guard let home = district(of: target) else { continue }
    for case .byNameItem(let name, _) in target.dependencies {
        guard let used = package.targets.first(where: { $0.name == name }) else { continue }
        guard let place = district(of: used), ([home.name] + home.below).contains(place.name) else {
            fatalError("\(target.name), of \(home.name), may not use \(name): \(used.path ?? "")")
        }
    }
}
