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

func house(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser")
let collections: Target.Dependency = .product(
    name: "DequeModule", package: "swift-collections")

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
        .executable(name: "pickerd", targets: ["pickerd"]),
        .executable(name: "pickerctl", targets: ["pickerctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        // L0: C
        .target(name: "CLinux"),
        .target(name: "CLayoutKernels"),
        .target(name: "CSwiftRuntime"),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CJSONC", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        // Its pkg-config file defines a macro that is meant for its own build; it needs no flags.
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // L1
        house("SystemInterface", uses: ["CLinux"]),
        house("Observables", uses: ["CSwiftRuntime"]),
        house("ExactStatistics"),
        house("StateFeedback"),
        house("JSONText", uses: ["CJSONC"]),

        // L2
        house("SystemdEventLoop", uses: ["CSystemd", "SystemInterface"]),
        house("DataBus", uses: ["Observables", collections]),
        house("ObservableStatistics", uses: ["Observables", "ExactStatistics"]),
        house("PickerModel", uses: ["CUTF8Proc", "Observables", "ExactStatistics"]),
        house("WireProtocol", uses: ["JSONText"]),
        house("Layouts", uses: ["CLayoutKernels"]),

        // L3
        house(
            "PluginInterface",
            uses: [
                "SystemdEventLoop", "DataBus", "PickerModel", "WireProtocol", "JSONText",
                "Observables", "ExactStatistics",
            ]),
        house(
            "DirectoryWatching",
            uses: ["SystemdEventLoop", "SystemInterface", "Observables", "PickerModel"]),
        house("EventStorage", uses: ["CZlib", "SystemInterface"]),
        house(
            "FeedStorage", uses: ["CSQLite", "EventStorage", "PickerModel", "SystemInterface"]),
        house("ServiceManager", uses: ["CSystemd", "SystemInterface", "SystemdEventLoop"]),

        // L4
        house(
            "PickerService",
            uses: [
                "PluginInterface", "WireProtocol", "JSONText", "SystemInterface",
                "SystemdEventLoop", "DataBus", "PickerModel", "ExactStatistics", collections,
            ]),
        house(
            "BuiltinPlugins",
            uses: [
                "PluginInterface", "DirectoryWatching", "EventStorage", "FeedStorage", "Layouts",
                "SystemdEventLoop", "SystemInterface", "DataBus", "PickerModel", "WireProtocol",
                "JSONText", "Observables",
            ]),
        house(
            "PickerClient",
            uses: [
                "WireProtocol", "JSONText", "SystemInterface", "Observables", "StateFeedback",
                collections,
            ]),

        // L5
        program(
            "pickerd",
            uses: [
                "PickerService", "BuiltinPlugins", "PluginInterface", "ServiceManager",
                "DirectoryWatching", "SystemdEventLoop", "SystemInterface", "DataBus",
                "PickerModel", "WireProtocol", "JSONText", argumentParser,
                .product(name: "TOMLKit", package: "TOMLKit"),
            ]),
        program(
            "pickerctl",
            uses: [
                "PickerClient", "WireProtocol", "JSONText", "SystemInterface", "Observables",
                argumentParser,
            ]),

        // Tests
        .target(name: "CCosts", path: "Tests/CCosts"),
        .target(name: "CTestSettings", path: "Tests/CTestSettings"),
        .target(
            name: "TestSupport",
            dependencies: [
                "CCosts", "CTestSettings", "SystemdEventLoop", "SystemInterface", "EventStorage",
                "JSONText",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("SystemInterfaceTests", uses: ["SystemInterface", "TestSupport"]),
        tests("ObservablesTests", uses: ["Observables", "TestSupport"]),
        tests("ExactStatisticsTests", uses: ["ExactStatistics", "TestSupport"]),
        tests(
            "ObservableStatisticsTests",
            uses: ["ObservableStatistics", "Observables", "ExactStatistics", "TestSupport"]),
        tests("LayoutsTests", uses: ["Layouts", "TestSupport"]),
        tests("JSONTextTests", uses: ["JSONText", "TestSupport"]),
        tests(
            "SystemdEventLoopTests", uses: ["SystemdEventLoop", "SystemInterface", "TestSupport"]),
        tests("EventStorageTests", uses: ["EventStorage", "SystemInterface", "TestSupport"]),
        tests(
            "FeedStorageTests",
            uses: [
                "FeedStorage", "PickerModel", "SystemInterface", "SystemdEventLoop", "TestSupport",
            ]),
        tests("StateFeedbackTests", uses: ["StateFeedback", "TestSupport"]),
        tests("DataBusTests", uses: ["DataBus", "Observables", "TestSupport"]),
        tests(
            "PickerModelTests",
            uses: ["PickerModel", "Observables", "ExactStatistics", "TestSupport"]),
        tests("WireProtocolTests", uses: ["WireProtocol", "JSONText", "TestSupport"]),
        tests(
            "DirectoryWatchingTests",
            uses: [
                "DirectoryWatching", "SystemdEventLoop", "SystemInterface", "Observables",
                "PickerModel", "TestSupport",
            ]),
        tests(
            "ServiceManagerTests",
            uses: ["ServiceManager", "SystemdEventLoop", "SystemInterface", "TestSupport"]),
        tests(
            "PickerServiceTests",
            uses: [
                "PickerService", "BuiltinPlugins", "PluginInterface", "SystemdEventLoop",
                "SystemInterface", "DataBus", "PickerModel", "WireProtocol", "JSONText",
                "Observables", "DirectoryWatching", "TestSupport",
            ]),
        tests(
            "BuiltinPluginsTests",
            uses: [
                "BuiltinPlugins", "PluginInterface", "PickerModel", "DataBus", "Observables",
                "WireProtocol", "JSONText", "SystemdEventLoop", "DirectoryWatching",
                "EventStorage", "FeedStorage", "SystemInterface", "Layouts", "TestSupport",
            ]),
        tests(
            "PickerClientTests",
            uses: [
                "PickerClient", "pickerctl", "WireProtocol", "JSONText", "SystemInterface",
                "Observables", "StateFeedback", "TestSupport",
            ]),
        tests(
            "IntegrationTests",
            uses: [
                "PickerClient", "PickerModel", "WireProtocol", "JSONText", "SystemInterface",
                "SystemdEventLoop", "Observables", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)
