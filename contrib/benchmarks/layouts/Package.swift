// swift-tools-version: 6.2
// Times the layouts and checks them where tests would take too long. Run it by `../layouts/run`.

import PackageDescription

let package = Package(
    name: "layouts-benchmark",
    dependencies: [.package(name: "pickerd", path: "../../..")],
    targets: [
        .target(name: "CAllocations"),
        .executableTarget(
            name: "benchmark",
            dependencies: ["CAllocations", .product(name: "Layouts", package: "pickerd")],
            swiftSettings: [
                .strictMemorySafety(), .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ])
