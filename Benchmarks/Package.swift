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
            name: "CFloor",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("keyutils")]
        ),
        .target(
            name: "CStoreFloor",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("keyutils")]
        ),
        .target(name: "CWitness", cSettings: [.treatAllWarnings(as: .error)]),
        // What Benchmarks/compare runs for a get in a running program.
        .executableTarget(
            name: "compare-inprocess",
            dependencies: [.product(name: "SessionKeyring", package: "SessionKeyring")],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
            ]
        ),
        // Its main is its own, so it goes without the plugin that would write one.
        .executableTarget(
            name: "table",
            dependencies: [
                "CStoreFloor",
                "CWitness",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyring", package: "SessionKeyring"),
                .product(name: "SessionKeyringTesting", package: "SessionKeyring"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/SecretStore",
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
            ]
        ),
        // Not in a folder right here: the benchmark tool takes an executable whose folder lies in one named Benchmarks, as
        // this package's is, for one of its own, and runs it.
        .executableTarget(
            name: "scale",
            dependencies: [
                "CFloor",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyring", package: "SessionKeyring"),
            ],
            path: "Sources/Scale",
            exclude: ["plot.py"],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
