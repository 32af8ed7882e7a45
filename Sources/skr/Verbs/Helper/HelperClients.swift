import CommandSupport

/// All clients that have a helper.
enum HelperClients {
    static let all: [any HelperClient.Type] = [
        GitClient.self, DockerClient.self, AWSClient.self, KubernetesClient.self, CargoClient.self, KeyringClient.self,
        AnsibleClient.self, AskpassClient.self, TerraformClient.self, VaultClient.self, GoClient.self, BazelClient.self,
        NpmClient.self, GoogleClient.self, NetrcClient.self, HeadersClient.self,
    ]

    /// The names of all clients, and their aliases.
    static var allNames: [String] { all.map { $0.name } + all.flatMap { $0.aliases } }

    /// Returns the client with this name or alias.
    static func serving(_ name: String) -> (any HelperClient.Type)? {
        all.first { $0.name == name } ?? all.first { $0.aliases.contains(name) }
    }

    /// Returns the client and its words if we are called as its helper.
    ///
    /// A client calls us by the name of a link, or as `skr helper CLIENT`.
    static func called(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: any HelperClient.Type, words: CommandLineWords)? {
        // Most calls end here.
        if name == "skr", arguments[0] != "helper" { return nil }
        if name != "skr", let link = link(name, arguments) { return link }
        guard arguments[0] == "helper", let client = arguments[1].flatMap(serving) else { return nil }
        let words = arguments.suffix(from: 2)
        // The argument parser answers a request for help.
        return words[0] == "--help" || words[0] == "-h" ? nil : (client, words)
    }

    private static func link(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: any HelperClient.Type, words: CommandLineWords)? {
        for client in all {
            switch client.start {
            case .link(name, _, _): return (client, arguments)
            case .linkPerRegistry(let start) where name.utf8.starts(with: start.utf8):
                return (client, arguments.prepending(String(Substring(name.utf8.dropFirst(start.utf8.count)))))
            default: break
            }
        }
        return nil
    }

    /// Returns the error for an unknown client.
    ///
    /// - Parameter verbs: other names that the user could mean.
    static func unknown(_ name: String, among verbs: [String] = []) -> CommandError {
        let nearest = NearestName.to(name, among: allNames + verbs)
        return .usage(
            "no such client: \(Display.plain(name))",
            hint: wayWithoutHelper(name) ?? nearest.map { "did you mean '\($0)'?" }
                ?? "use one of \(allNames.joined(separator: ", ")); \(Guide.useItWith.reference) describes them")
    }

    /// Returns a hint for a program that gets its secrets from skr, but not through a helper.
    private static func wayWithoutHelper(_ name: String) -> String? {
        switch name {
        case "gh": "gh asks a Secret Service: skr-secrets -- gh auth login; 'man skr-secrets' has more"
        case "curl":
            "curl reads what 'skr inject' fills in: "
                + "echo 'Authorization: Bearer {{ skr://api }}' | skr inject -- curl -H @- https://example.com/"
        default: nil
        }
    }
}
