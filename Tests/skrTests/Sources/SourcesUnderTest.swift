import Testing

/// Runs scripts in a session of their own, with a sources file in a new home folder.
struct SourcesUnderTest {
    /// The beginning of a script: it makes the home folder, and the file from the variable `SOURCES`.
    static let preparation = #"""
        work=$(mktemp -d); trap 'rm -rf $work' EXIT; export HOME=$work/home; unset XDG_CONFIG_HOME SKR_SOURCES
        mkdir -p $HOME/.config/skr; chmod -R 755 $HOME; cd $work; sources=$HOME/.config/skr/sources
        printf '%s\n' "$SOURCES" > $sources; runs() { paste -sd " " $HOME/runs 2> /dev/null || echo; }

        """#

    /// - Parameters:
    ///   - sources: the file's lines.
    ///   - output: what the script must print.
    @discardableResult
    static func run(
        _ sources: String, _ script: String, environment: [String: String] = [:], prints output: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(
            preparation + script,
            environment: ["SOURCES": sources, "SKR_NAMESPACE": ""].merging(environment) { $1 }, prints: output,
            at: location)
    }
}
