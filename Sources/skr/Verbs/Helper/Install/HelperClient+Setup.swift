extension HelperClient {
    /// How the client of that name is set up.
    static func setup(_ name: String, servedBy client: HelperClient) -> any ClientSetup {
        switch name {
        case "podman", "buildah", "skopeo": ShownSetup.containers
        case "twine": ShownSetup.python
        default: client.setup
        }
    }

    private var setup: any ClientSetup {
        switch self {
        case .git: GitSetup()
        case .docker: DockerSetup()
        case .cargo: ShownSetup.cargo
        case .terraform: ShownSetup.terraform
        case .vault: ShownSetup.vault
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
