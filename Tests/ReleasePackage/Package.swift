// swift-tools-version: 6.2
import PackageDescription

// The tests of the memory of secrets alone, so that .ci/run builds for release what they need and no more.
let package = Package(
    name: "ReleasePackage",
    dependencies: [.package(name: "SessionKeyring", path: "../..")],
    targets: [
        .target(name: "CTestFilters"),
        .testTarget(
            name: "MemoryTests",
            dependencies: [
                "CTestFilters",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyringTesting", package: "SessionKeyring"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
