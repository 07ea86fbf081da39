// swift-tools-version: 6.2
// What the libraries cost: counted, and timed. Run it by `contrib/benchmarks/run`, which README.md explains.
// The house's own manifest has the targets that measure what is no product; Measuring and CAllocations are in both.

import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String) -> Target.Dependency { .product(name: name, package: "pickerd") }

func benchmark(_ name: String, of libraries: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["CAllocations", "Measuring"] + libraries, swiftSettings: strict)
}

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "pickerd", path: "../.."),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .target(name: "CAllocations", path: "Sources/CAllocations"),
        .target(
            name: "Measuring", dependencies: ["CAllocations"], path: "Sources/Measuring",
            swiftSettings: strict),
        benchmark("ObservablesBenchmark", of: [library("Observables")]),
        benchmark(
            "BusBenchmark",
            of: [
                library("DataBus"), library("Observables"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        benchmark("LayoutsBenchmark", of: [library("Layouts")]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)
