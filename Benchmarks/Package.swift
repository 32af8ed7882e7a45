// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "SessionKeyring", path: ".."),
        // Without its default traits, which need libraries that are not everywhere; they count allocations only.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
    ],
    targets: [
        .target(
            name: "Baseline", path: "Baseline", cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("keyutils")]
        ),
        .target(
            name: "SyscallCounter", path: "SyscallCounter", exclude: ["preload.c"],
            cSettings: [.treatAllWarnings(as: .error)]
        ),
        // Its main is its own, so it goes without the plugin that would write one. The benchmark tool runs each executable
        // whose folder lies in one named Benchmarks, as this package's is.
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Baseline",
                "SyscallCounter",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyring", package: "SessionKeyring"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "SecretStore",
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        ),
        .target(name: "Profile", path: "Ways/Profile", cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "one-call",
            dependencies: [
                "Profile",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyring", package: "SessionKeyring"),
            ],
            path: "Ways/OneCall",
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
