import CommandSupport
import Keyutils
import SecretText

struct EnvVerb: Verb {
    static let name = "env"
    static let summary = "Print assignments of secrets to variables, for a shell's eval."
    static let details = """
        Each variable is printed once; a later value wins over an earlier one, and --env wins over --env-file. \
        References and env files are those of 'skr exec'.

        On an error, or if a signal ends the command, the output ends in the line 'false', so that eval fails too.

        Every program that the shell starts from then on gets the secrets, and your other processes can read \
        them (/proc/PID/environ). For a single command, use 'skr exec'.
        """

    static let examples = """
        eval "$(skr env --env TOKEN=skr://api)"
        skr env --env TOKEN=skr://api --shell fish | source
        """

    /// The forms of the assignments.
    private enum Shell: String { case sh, fish, json }

    private let env, environmentFiles: [String]
    private let shell: Shell
    private let options: PlaceOptions

    init(_ words: inout CommandWords) {
        env = words.variables()
        environmentFiles = words.environmentFiles()
        let shell = words.choice(
            "--shell", value: "FORM", "sh|fish|json", "The form of the assignments. By default sh.")
        self.shell = shell.flatMap(Shell.init) ?? .sh
        options = PlaceOptions(&words)
    }

    func run() throws {
        guard !env.isEmpty || !environmentFiles.isEmpty else {
            throw CommandError.usage("no variable is named", hint: "name one: skr env --env TOKEN=skr://api")
        }
        let environment = SecretEnvironment(
            place: try options.place(), variables: try EnvironmentVariable.parse(env, isFile: false),
            environmentFiles: environmentFiles)
        var values: [(name: String, value: SecretBox)] = []
        try environment.forEachValue { values.append(($0.name, $1)) }
        if shell == .json, let bad = values.first(where: { !$0.value.isText }) {
            throw CommandError.data(
                "\(bad.name): the secret is not UTF-8, as JSON requires", hint: "use --shell sh or fish")
        }
        let text = SecretBytes { output in
            if shell == .json { output.append("{") }
            for (position, (name, value)) in values.enumerated() {
                switch shell {
                case .sh: output.append("export \(name)=")
                case .fish: output.append("set -gx \(name) ")
                case .json: output.append("\(position > 0 ? "," : "")\"\(name)\":")
                }
                value.bytes.withBytes { append($0, to: &output) }
                if shell != .json { output.append("\n") }
            }
            if shell == .json { output.append("}\n") }
        }
        // If the output is cut, the first of these newlines can continue a line that ends in a backslash.
        Console.setLastWords("\n\nfalse\n")
        try text.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }

    /// Appends a value; quotes separate bytes that a shell of an unusual encoding could join to characters.
    private func append(_ value: RawSpan, to output: inout SecretWriter) {
        switch shell {
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
