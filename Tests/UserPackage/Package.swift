// swift-tools-version: 6.2
import PackageDescription

// A user of the library, from outside the package: uses only what is public.
let package = Package(
    name: "UserPackage",
    dependencies: [
        .package(name: "SessionKeyring", path: "../..", traits: ["Crypto", "Configuration"]),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "UserPackage",
            dependencies: [
                .product(name: "SessionKeyring", package: "SessionKeyring"),
                .product(name: "SessionKeyringConfiguration", package: "SessionKeyring"),
                .product(name: "SessionKeyringTesting", package: "SessionKeyring"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
