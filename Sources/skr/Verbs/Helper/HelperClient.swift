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

    /// Whether its words may be options; a prompt is none, however it begins.
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
        default: HelperClient(rawValue: name)
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
