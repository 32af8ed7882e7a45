import CommandSupport

/// What `skr exec` is asked for.
package struct ExecRequest: Equatable {
    let place: Place
    /// Variables that hold a secret.
    let variables: [Assignment]
    /// Variables that hold the path of a file with a secret.
    let files: [Assignment]
    /// `.env` files, later ones winning.
    let environmentFiles: [String]
    let command: CommandLineWords

    init(
        place: Place,
        variables: [Assignment],
        files: [Assignment],
        environmentFiles: [String],
        command: CommandLineWords
    ) throws(CommandError) {
        guard command.count > 0 else {
            throw .usage("no command to run", hint: "write it behind '--': skr exec --env TOKEN=skr://api -- CMD")
        }
        for file in files where variables.contains(where: { $0.name == file.name }) {
            throw .usage("--env and --file both set \(file.name)", hint: "leave one of them out")
        }
        self.place = place
        self.variables = variables
        self.files = files
        self.environmentFiles = environmentFiles
        self.command = command
    }
}
