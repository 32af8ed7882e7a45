// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "SessionKeyring", path: ".."),
        // Without its default traits, which only count allocations and need libraries that are not everywhere.
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
        // This target has its own main, so it does not use the plugin that would write one. The benchmark tool runs
        // each executable whose folder lies in a folder named Benchmarks, and this package's folder has that name.
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
