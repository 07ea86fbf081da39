// swift-tools-version: 6.2
// Times and counts what sending on a DataBus costs. Run it by `../bus/run`.

import PackageDescription

let package = Package(
    name: "bus-benchmark",
    dependencies: [
        .package(name: "pickerd", path: "../../.."),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .target(name: "CAllocations"),
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "CAllocations", .product(name: "DataBus", package: "pickerd"),
                .product(name: "Observables", package: "pickerd"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: [
                .strictMemorySafety(), .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ])
