import CommandSupport

/// A program that asks a helper for its secrets.
enum HelperClient: String, CaseIterable {
    case git, docker

    /// The name under which the client starts its helper; `nil` where it is given a whole command line.
    var programName: String? {
        switch self {
        case .git: "git-credential-skr"
        case .docker: "docker-credential-skr"
        }
    }

    /// The client's own options that have a value.
    var ownOptions: [String] { [] }

    /// The client and its words, where we are called as its helper: by the name of a link, or as `skr helper CLIENT`.
    static func called(
        _ name: String, _ arguments: CommandLineWords
    ) -> (client: HelperClient, words: CommandLineWords)? {
        // Most calls end here.
        if name == "skr", arguments[0] != "helper" { return nil }
        if name != "skr", let client = HelperClient(programName: name) { return (client, arguments) }
        guard arguments[0] == "helper", let client = arguments[1].flatMap(HelperClient.init(rawValue:)) else {
            return nil
        }
        let words = arguments.suffix(from: 2)
        // The argument parser answers that.
        return words[0] == "--help" || words[0] == "-h" ? nil : (client, words)
    }

    private init?(programName: String) {
        guard let client = Self.allCases.first(where: { $0.programName == programName }) else { return nil }
        self = client
    }
}
