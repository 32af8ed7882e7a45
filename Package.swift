// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let tests: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

// Versions of Swift whose static runtime we have compared with RuntimeStart.c. .ci/build checks that
// it uses one of them.
#if compiler(>=6.3) && compiler(<6.4)
    let replacesRuntimeStart = [CSetting.define("REPLACES_RUNTIME_START")]
#else
    let replacesRuntimeStart: [CSetting] = []
#endif

let package = Package(
    name: "SessionKeyring",
    products: [
        .library(name: "Keyutils", targets: ["Keyutils"]),
        .library(name: "SessionKeyring", targets: ["SessionKeyring"]),
        .library(name: "SessionKeyringTesting", targets: ["SessionKeyringTesting"]),
        .library(name: "CredentialHelpers", targets: ["CredentialHelpers"]),
        .library(name: "SessionKeyringConfiguration", targets: ["SessionKeyringConfiguration"]),
        // No executables: SwiftPM would fetch what they need for every user of a library. This package builds them anyway.
    ],
    traits: [
        .trait(name: "Crypto", description: "Stores swift-crypto's keys as they are."),
        .trait(name: "Configuration", description: "A provider for swift-configuration: SessionKeyringConfiguration."),
        // Off in `.ci/test`, because cryptography takes longer to compile than the library.
        .trait(
            name: "EncryptedSessions",
            description: "Sessions of skr-secrets for clients that insist on encryption; skr login with a browser."),
        .default(enabledTraits: ["EncryptedSessions"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CKeyutils",
            pkgConfig: "libkeyutils",
            providers: [.apt(["libkeyutils-dev"]), .yum(["keyutils-libs-devel"])]
        ),
        .systemLibrary(name: "CLinux"),
        .target(name: "Keyutils", dependencies: ["CKeyutils", "CLinux"], swiftSettings: strict),
        .target(
            name: "SessionKeyring",
            dependencies: [
                "Keyutils",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SessionKeyringConfiguration",
            dependencies: [
                "SessionKeyring",
                .product(
                    name: "Configuration", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
            ],
            // The same setting as swift-configuration uses: its protocols have closures that stay in
            // their caller's isolation.
            swiftSettings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
        ),
        .target(name: "Threads", swiftSettings: strict),
        .target(
            name: "SessionKeyringTesting", dependencies: ["SessionKeyring", "Keyutils", "Threads"],
            swiftSettings: strict),
        .target(name: "SecretText", dependencies: ["Keyutils"], swiftSettings: strict),
        .target(
            name: "CredentialHelpers", dependencies: ["SecretText", "SessionKeyring", "Keyutils"],
            swiftSettings: strict),
        .target(
            name: "CommandSupport",
            dependencies: [
                "CProcess",
                "Keyutils",
                "SecretText",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .target(name: "CEarlyGet"),
        .target(name: "CProcess"),
        .target(name: "CRuntimeStart", cSettings: replacesRuntimeStart),
        .executableTarget(
            name: "skr",
            dependencies: [
                "CEarlyGet",
                "CProcess",
                "CRuntimeStart",
                "CommandSupport",
                "CredentialHelpers",
                "SecretText",
                "SessionKeyring",
                "Keyutils",
                "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Verbs/Helper/Python"],
            resources: [
                .embedInCode("Verbs/Completions/completion.bash"), .embedInCode("Verbs/Completions/completion.zsh"),
                .embedInCode("Verbs/Completions/completion.fish"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "StressSuite",
            dependencies: [
                "SessionKeyring",
                "Threads",
                "Keyutils",
                "CLinux",
                "CProcess",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "skr-stress",
            dependencies: [
                "StressSuite",
                "CommandSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SecretService",
            dependencies: [
                "SecretText",
                "SessionKeyring",
                "Keyutils",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["EncryptedSessions"])),
                .product(
                    name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["EncryptedSessions"])),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "skr-secrets",
            dependencies: [
                "CProcess",
                "CRuntimeStart",
                "CommandSupport",
                "SecretService",
                "SessionKeyring",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OAuth",
            dependencies: [
                "SecretText",
                "SessionKeyring",
                "Keyutils",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["EncryptedSessions"])),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "skr-oauth",
            dependencies: [
                "CLinux",
                "CProcess",
                "CRuntimeStart",
                "CommandSupport",
                "OAuth",
                "SecretText",
                "SessionKeyring",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .target(name: "CTestFilters", path: "Tests/CTestFilters"),
        .target(name: "CTestPause", path: "Tests/CTestPause"),
        .executableTarget(
            name: "pair-search",
            dependencies: [
                "SessionKeyring", "CredentialHelpers", "OAuth", "SecretText", "Keyutils", "StressSuite", "Threads",
                "CLinux", "CTestPause",
            ],
            path: "Tests/PairSearch",
            swiftSettings: tests
        ),
        .testTarget(name: "PairTests", dependencies: ["pair-search", "TestSupport"], swiftSettings: tests),
        .target(
            name: "TestSupport", dependencies: ["CTestFilters", "Keyutils", "SessionKeyring"],
            path: "Tests/TestSupport", swiftSettings: tests),
        .testTarget(
            name: "KeyutilsTests",
            dependencies: ["Keyutils", "SessionKeyringTesting", "Threads", "CTestFilters", "TestSupport"],
            swiftSettings: tests
        ),
        .executableTarget(
            name: "lease-example", dependencies: ["SessionKeyring"], path: "Tests/LeaseExample", swiftSettings: tests),
        .executableTarget(
            name: "rotating-tokens", dependencies: ["SessionKeyring"], path: "Tests/RotatingTokens",
            swiftSettings: tests),
        .testTarget(
            name: "SessionKeyringTests",
            dependencies: [
                "SessionKeyring",
                "lease-example",
                "rotating-tokens",
                "SessionKeyringTesting",
                "Threads",
                "CTestFilters",
                "CTestPause",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
            ],
            swiftSettings: tests
        ),
        .testTarget(
            name: "SessionKeyringConfigurationTests",
            dependencies: [
                "SessionKeyringConfiguration",
                "SessionKeyringTesting",
                .product(
                    name: "ConfigurationTesting", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
            ],
            swiftSettings: tests
        ),
        .testTarget(
            name: "SessionKeyringTestingTests",
            dependencies: ["SessionKeyringTesting", "TestSupport", "Threads"],
            swiftSettings: tests
        ),
        .testTarget(
            name: "StressSuiteTests",
            dependencies: [
                "StressSuite", "skr-stress", "skr", "CommandSupport",
                "SessionKeyringTesting", "TestSupport", "Threads",
            ],
            swiftSettings: tests
        ),
        .testTarget(
            name: "skrTests",
            dependencies: [
                "skr", "skr-secrets", "skr-oauth", "skr-stress", "CommandSupport", "CredentialHelpers", "SecretText",
                "SessionKeyringTesting",
                "Threads",
                "CTestFilters",
                "TestSupport",
            ],
            swiftSettings: tests
        ),
        .testTarget(
            name: "CredentialHelpersTests",
            dependencies: ["CredentialHelpers", "SecretText", "SessionKeyringTesting", "TestSupport"],
            swiftSettings: tests
        ),
        .testTarget(
            name: "SecretServiceTests",
            dependencies: [
                "SecretService", "SecretText", "SessionKeyring", "SessionKeyringTesting", "Keyutils", "StressSuite",
                "TestSupport", "Threads",
            ],
            swiftSettings: tests
        ),
        .testTarget(
            name: "OAuthTests",
            dependencies: [
                "OAuth", "SecretText", "SessionKeyring", "SessionKeyringTesting", "Keyutils", "TestSupport", "Threads",
            ],
            swiftSettings: tests
        ),
        .testTarget(name: "SecretTextTests", dependencies: ["SecretText", "Keyutils"], swiftSettings: tests),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "skr", "CredentialHelpers", "OAuth", "SecretText", "SessionKeyring", "Keyutils", "CommandSupport",
                "Threads", "TestSupport",
            ],
            swiftSettings: tests
        ),
    ],
    swiftLanguageModes: [.v6]
)
