import ArgumentParser
import CommandSupport
import Keyutils
import SecretText

struct EnvCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Print assignments of secrets to variables, for a shell's eval.",
        discussion: """
            Each variable is printed once; a later value wins over an earlier one, and --env wins over --env-file. \
            References and env files are those of 'skr exec'.

            On an error, or if a signal ends the command, the output ends in the line 'false', so that eval fails too.

            Every program that the shell starts from then on gets the secrets, and your other processes can read \
            them (/proc/PID/environ). For a single command, use 'skr exec'.
            """
    )

    static let examples = """
        eval "$(skr env --env TOKEN=skr://api)"
        skr env --env TOKEN=skr://api --shell fish | source
        """

    /// The forms of the assignments.
    enum Shell: String, CaseIterable, ExpressibleByArgument { case sh, fish, json }

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Set a variable to a secret; may be repeated.", valueName: "VAR[=skr://...]"),
        completion: .names(.assignments))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("Set the variables in an env file; may be repeated.", valueName: "file"),
        completion: .file())
    var envFile: [String] = []

    @Option(help: "The form of the assignments.")
    var shell = Shell.sh

    @OptionGroup var options: PlaceOptions

    func action() throws(CommandError) -> any VerbAction {
        guard !env.isEmpty || !envFile.isEmpty else {
            throw .usage("no variable is named", hint: "name one: skr env --env TOKEN=skr://api")
        }
        return EnvAction(options: self)
    }
}

/// Prints assignments, or a command that fails.
struct EnvAction: VerbAction {
    let options: EnvCommand

    func run() throws(CommandError) {
        let exec = ExecAction(
            place: try options.options.place(),
            variables: try options.env.map { text throws(CommandError) in try EnvironmentVariable(text, isFile: false)
            },
            environmentFiles: options.envFile, command: CommandLineWords(leaking: []))
        var values: [(name: String, value: SecretBox)] = []
        try exec.forEachValue { values.append(($0.name, $1)) }
        if options.shell == .json, let bad = values.first(where: { !$0.value.isText }) {
            throw .data("\(bad.name): the secret is not UTF-8, as JSON requires", hint: "use --shell sh or fish")
        }
        let text = SecretBytes { output in
            if options.shell == .json { output.append("{") }
            for (position, (name, value)) in values.enumerated() {
                switch options.shell {
                case .sh: output.append("export \(name)=")
                case .fish: output.append("set -gx \(name) ")
                case .json: output.append("\(position > 0 ? "," : "")\"\(name)\":")
                }
                value.bytes.withBytes { append($0, to: &output) }
                if options.shell != .json { output.append("\n") }
            }
            if options.shell == .json { output.append("}\n") }
        }
        // If the output is cut, the first of these newlines can continue a line that ends in a backslash.
        Console.setLastWords("\n\nfalse\n")
        try text.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }

    /// Appends a value; quotes separate bytes that a shell of an unusual encoding could join to characters.
    private func append(_ value: RawSpan, to output: inout SecretWriter) {
        switch options.shell {
        case .json: output.appendJSON(value)
        case .fish: appendFish(value, to: &output)
        case .sh:
            let isUsual = TextEncoding.isUsual
            output.append("'")
            for position in 0..<value.byteCount {
                let byte = value[position]
                if byte == UInt8(ascii: "'") { output.append("'\\''") } else { output.append(byte) }
                if byte >= 0x80 && !isUsual { output.append("''") }
            }
            output.append("'")
        }
    }

    /// Appends a word for fish, which decodes its input, and whose backslashes count in quotes too.
    ///
    /// So the word is ASCII. fish keeps an escaped byte unchanged, except that it decodes adjacent ones together.
    private func appendFish(_ value: RawSpan, to output: inout SecretWriter) {
        let isUsual = TextEncoding.isUsual
        var isQuoted = true
        output.append("'")
        for position in 0..<value.byteCount {
            let byte = value[position]
            let isPlain = byte < 0x80 && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
            if isPlain != isQuoted { output.append("'") } else if !isPlain && !isUsual { output.append("''") }
            isQuoted = isPlain
            switch byte {
            case UInt8(ascii: "'"): output.append("\"'\"")
            case UInt8(ascii: "\\"): output.append("\\\\")
            case 0x80...: output.append("\\X\(String(byte, radix: 16))")
            default: output.append(byte)
            }
        }
        if isQuoted { output.append("'") }
    }
}
