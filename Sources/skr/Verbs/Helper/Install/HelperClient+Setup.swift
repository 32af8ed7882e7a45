extension HelperClient {
    /// How it is set up.
    var setup: any ClientSetup {
        switch self {
        case .git: GitSetup()
        case .docker: DockerSetup()
        case .cargo: CargoSetup()
        case .terraform: TerraformSetup()
        case .vault: VaultSetup()
        case .aws: ShownSetup.aws
        case .kubernetes: ShownSetup.kubernetes
        case .keyring: ShownSetup.keyring
        case .ansible: ShownSetup.ansible
        case .askpass: ShownSetup.askpass
        case .go: ShownSetup.go
        case .bazel: ShownSetup.bazel
        case .npm: ShownSetup.npm
        case .google: ShownSetup.google
        case .netrc: ShownSetup.netrc
        }
    }
}
