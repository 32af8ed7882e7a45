// swift-tools-version: 6.2
import PackageDescription

// A user of the library, from outside: what is public, with nothing of the package's own.
let package = Package(
    name: "UserPackage",
    dependencies: [.package(name: "SessionKeyring", path: "../..")],
    targets: [
        .executableTarget(
            name: "UserPackage",
            dependencies: [
                .product(name: "SessionKeyring", package: "SessionKeyring"),
                .product(name: "SessionKeyringTesting", package: "SessionKeyring"),
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
