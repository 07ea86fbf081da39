// swift-tools-version: 6.2
// What a million documents cost. Run it by `contrib/benchmarks/run documents`.
//
// No product of the house has the daemon's model, which other packages can't see. So this package has the folders of
// the house that make it up, by links, and is built with the settings of the house.

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

let package = Package(
    name: "documents",
    targets: [
        .target(name: "CAllocations"),
        .target(name: "CPlainSearch"),
        .target(name: "CSwiftRuntime"),
        .target(name: "CDocumentKernels"),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        house("Measuring", uses: ["CAllocations"]),
        house("Observables", uses: ["CSwiftRuntime"]),
        house("ExactStatistics"),
        house(
            "PickerModel",
            uses: ["CDocumentKernels", "CUTF8Proc", "Observables", "ExactStatistics"]),
        .executableTarget(
            name: "DocumentsBenchmark",
            dependencies: ["CAllocations", "CPlainSearch", "Measuring", "PickerModel"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)
