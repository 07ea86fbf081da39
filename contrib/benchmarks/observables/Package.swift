// swift-tools-version: 6.2
// Times and counts the operators of Observables at a million rows. Run it by `../observables/run`.

import PackageDescription

let package = Package(
    name: "observables-benchmark",
    dependencies: [.package(name: "pickerd", path: "../../..")],
    targets: [
        .target(name: "CAllocations"),
        .executableTarget(
            name: "benchmark",
            dependencies: ["CAllocations", .product(name: "Observables", package: "pickerd")],
            swiftSettings: [
                .strictMemorySafety(), .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ])
