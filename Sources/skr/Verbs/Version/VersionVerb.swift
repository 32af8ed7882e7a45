import CommandSupport

struct VersionVerb: Verb {
    static let name = "version"
    static let summary = "Print the version, as --version does."
    static let isHidden = true

    static let examples = """
        skr version
        """

    init(_ words: inout CommandWords) {}

    func run() throws {
        try Console.writeLine(RootVerb.version)
    }
}
