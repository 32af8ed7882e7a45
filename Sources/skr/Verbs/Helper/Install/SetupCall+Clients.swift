extension SetupCall {
    /// How each client is set up; those count that ``HelperClient`` answers.
    static let setups: [String: any ClientSetup] = [
        "git": GitSetup(), "docker": DockerSetup(), "cargo": CargoSetup(), "terraform": TerraformSetup(),
        "vault": VaultSetup(), "aws": ShownSetup.aws, "kubernetes": ShownSetup.kubernetes,
        "keyring": ShownSetup.keyring, "ansible": ShownSetup.ansible, "askpass": ShownSetup.askpass,
        "go": ShownSetup.go, "bazel": ShownSetup.bazel, "npm": ShownSetup.npm, "google": ShownSetup.google,
        "netrc": ShownSetup.netrc,
    ]

    /// The clients that can be set up.
    static var clients: [HelperClient] { HelperClient.allCases.filter { setups[$0.rawValue] != nil } }
}
