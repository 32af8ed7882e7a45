import CommandSupport

/// A program that asks a helper for its secrets.
enum HelperClient: String, CaseIterable {
    case git, docker, aws, kubernetes, cargo, keyring, ansible, askpass, terraform, vault, go, bazel, npm, google, netrc

    /// The name under which the client starts its helper; `nil` where it is given a whole command line.
    var programName: String? {
        switch self {
        case .git: "git-credential-skr"
        case .docker: "docker-credential-skr"
        case .bazel: "skr-bazel"
        case .cargo: "cargo-credential-skr"
        case .keyring: "keyring"
        case .ansible: "skr-client"
        case .askpass: "skr-askpass"
        case .terraform: "terraform-credentials-skr"
        case .vault: "skr-vault"
        case .aws, .kubernetes, .google, .go, .npm, .netrc: nil
        }
    }

    /// Programs that another client's helper serves.
    static let aliases: [(name: String, client: HelperClient)] = [
        ("kubectl", .kubernetes), ("pip", .keyring), ("uv", .keyring), ("twine", .keyring), ("podman", .docker),
        ("buildah", .docker), ("skopeo", .docker), ("helm", .docker), ("ssh", .askpass), ("sudo", .askpass),
        ("gcloud", .google), ("buck2", .bazel), ("pnpm", .npm),
    ]

    /// The names of all clients, and of those that they serve too.
    static var allNames: [String] { allCases.map(\.rawValue) + aliases.map(\.name) }

    /// The client of that name, or the one that serves it.
    static func serving(_ name: String) -> HelperClient? {
        HelperClient(rawValue: name) ?? aliases.first { $0.name == name }?.client
    }

    /// Whether its words may be options; a prompt is never an option, even if it starts with a dash.
    var hasOptions: Bool { self != .askpass }

    /// The client's own options that have a value.
    var ownOptions: [String] {
        switch self {
        case .go: ["--prefix"]
        case .keyring: ["--mode", "--output"]
        case .ansible: ["--vault-id"]
        default: []
        }
    }

    /// The client's own options that have none.
    var ownFlags: [String] { self == .cargo ? ["--cargo-plugin"] : [] }

    /// The client and its words, where we are called as its helper: by the name of a link, or as `skr helper CLIENT`.
    static func called(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: HelperClient, words: CommandLineWords)? {
        // Most calls end here.
        if name == "skr", arguments[0] != "helper" { return nil }
        if name != "skr", let link = link(name, arguments) { return link }
        guard arguments[0] == "helper", let client = arguments[1].flatMap(client(named:)) else { return nil }
        let words = arguments.suffix(from: 2)
        // The argument parser answers that.
        return words[0] == "--help" || words[0] == "-h" ? nil : (client, words)
    }

    /// Those that are asked most come first: the table of all names is made at run time.
    private static func client(named name: String) -> HelperClient? {
        switch name {
        case "git": .git
        case "docker": .docker
        default: serving(name)
        }
    }

    private static func link(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: HelperClient, words: CommandLineWords)? {
        if let client = allCases.first(where: { $0.programName == name }) { return (client, arguments) }
        // npm's helper has no words, so the name of its link has the item's.
        let npm = "skr-npm-"
        guard name.utf8.starts(with: npm.utf8) else { return nil }
        return (.npm, arguments.prepending(String(Substring(name.utf8.dropFirst(npm.utf8.count)))))
    }
}
