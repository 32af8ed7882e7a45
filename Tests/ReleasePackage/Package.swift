// swift-tools-version: 6.2
import PackageDescription

// Has only the tests of the memory of secrets, so that .ci/run builds no more for release than these tests need.
let package = Package(
    name: "ReleasePackage",
    dependencies: [.package(name: "SessionKeyring", path: "../..")],
    targets: [
        .target(name: "CTestFilters"),
        .target(
            name: "TestSupport",
            dependencies: [
                "CTestFilters",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyring", package: "SessionKeyring"),
            ],
            // The protocol of backends is only for this package's own targets.
            exclude: ["ForwardingBackend.swift"]
        ),
        .testTarget(
            name: "MemoryTests",
            dependencies: [
                "CTestFilters",
                "TestSupport",
                .product(name: "Keyutils", package: "SessionKeyring"),
                .product(name: "SessionKeyringTesting", package: "SessionKeyring"),
            ],
            // These use `@testable import` or the target Threads, or need more than the memory of secrets.
            exclude: [
                "SecretMemory/SecretArenaTests.swift", "SecretMemory/SecretReadingTests.swift",
                "SecretMemory/SharedMemoryTests.swift", "Support/Capability.swift", "Support/TwoThreads.swift",
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
