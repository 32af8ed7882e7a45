// swift-tools-version: 6.2
import PackageDescription

// The example programs of the pages, which .ci/pages assembles in .build/pages/package.
let package = Package(
    name: "PageExamples",
    dependencies: [
        .package(name: "SessionKeyring", path: "../../..", traits: ["Crypto", "Configuration"]),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "PageExamples",
            dependencies: [
                .product(name: "SessionKeyring", package: "SessionKeyring"),
                .product(name: "CredentialHelpers", package: "SessionKeyring"),
                .product(name: "SessionKeyringConfiguration", package: "SessionKeyring"),
                .product(name: "SessionKeyringTesting", package: "SessionKeyring"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
