import CommandSupport

/// All clients that have a helper.
enum HelperClients {
    /// Calls `visit` with each client until that returns true.
    static func forEach(_ visit: (any HelperClient.Type) -> Bool) -> Bool {
        visit(GitClient.self)
            || visit(DockerClient.self)
            || visit(AWSClient.self)
            || visit(KubernetesClient.self)
            || visit(CargoClient.self)
            || visit(KeyringClient.self)
            || visit(AnsibleClient.self)
            || visit(AskpassClient.self)
            || visit(TerraformClient.self)
            || visit(VaultClient.self)
            || visit(GoClient.self)
            || visit(BazelClient.self)
            || visit(NpmClient.self)
            || visit(GoogleClient.self)
            || visit(NetrcClient.self)
            || visit(HeadersClient.self)
    }

    static var all: [any HelperClient.Type] {
        var all: [any HelperClient.Type] = []
        _ = forEach { client in
            all.append(client)
            return false
        }
        return all
    }

    /// The names of all clients, and their aliases.
    static var allNames: [String] { all.map { $0.name } + all.flatMap { $0.aliases } }

    /// Returns the client with this name or alias.
    static func serving(_ name: String) -> (any HelperClient.Type)? {
        first { $0.name == name } ?? first { $0.aliases.contains { $0 == name } }
    }

    private static func first(_ isMeant: (any HelperClient.Type) -> Bool) -> (any HelperClient.Type)? {
        var found: (any HelperClient.Type)?
        _ = forEach { client in
            if isMeant(client) { found = client }
            return found != nil
        }
        return found
    }

    /// Returns the client and its words if we are called as its helper.
    ///
    /// A client calls us by the name of a link, or as `skr helper CLIENT`.
    static func called(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: any HelperClient.Type, words: CommandLineWords)? {
        // Most calls end here.
        if name == "skr", arguments[0] != HelperVerb.name { return nil }
        if name != "skr", let link = link(name, arguments) { return link }
        guard arguments[0] == HelperVerb.name, let client = arguments[1].flatMap(serving) else { return nil }
        let words = arguments.suffix(from: 2)
        return words[0] == "--help" || words[0] == "-h" ? nil : (client, words)
    }

    private static func link(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: any HelperClient.Type, words: CommandLineWords)? {
        var registry: String?
        let client = first { client in
            switch client.start {
            case .link(let link, _, _): return link == name
            case .linkPerRegistry(let start) where name.hasPrefix(start):
                registry = String(name.utf8.dropFirst(start.utf8.count))
                return true
            case .commandLine, .linkPerRegistry: return false
            }
        }
        return client.map { ($0, registry.map(arguments.prepending) ?? arguments) }
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
        case "help": "'skr help helper' lists the clients; 'skr help helper git' is about one of them"
        case "gh": "gh asks a Secret Service: skr-secrets -- gh auth login; 'man skr-secrets' has more"
        case "curl":
            "curl reads what 'skr inject' fills in: "
                + "echo 'Authorization: Bearer {{ skr://api }}' | skr inject -- curl -H @- https://example.com/"
        default: nil
        }
    }
}
