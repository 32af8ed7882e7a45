import ArgumentParser
import CommandSupport
import Keyutils
import SecretText

struct InjectCommand: LaunchingVerb {
    static let configuration = CommandConfiguration(
        commandName: "inject",
        abstract: "Fill the secrets into a template.",
        discussion: """
            Replaces each {{ skr://SERVICE[/ACCOUNT][?field=PATH] }} of the template by the secret's exact bytes; the \
            blanks inside the braces are optional, and all else stays as it is, other {{ }} too. If a secret can't be \
            had, CMD is not started, nothing is written, and all that are missing are named.

            With CMD, skr becomes it once the text is complete, which is its standard input. With -o, FILE changes in \
            one step or stays as it is, and no other file ever holds the text. A new one has mode 0600, an old one \
            keeps its mode, and its owner where you may give that; a link is followed; a FIFO or a device is written \
            directly. Its file system must know files without a name (O_TMPFILE), as most do but NFS and FAT. \
            Otherwise the text goes to standard output; what reads a pipe there has begun already, so use the other \
            two.

            Mind where it goes: a file keeps the secrets longer than any timeout.
            """
    )

    static let examples = """
        skr inject -i config.template -o /run/app/config
        skr inject -i config.template -- ssh host 'cat > /run/app/config'
        echo 'X-Key: {{ skr://api }}' \\
          | skr inject -- curl -H @- https://example.com/
        """

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The template; standard input if left out or '-'.", valueName: "file"),
        completion: .file())
    var input: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("What gets the text, in one step; standard output if '-'.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var options: PlaceOptions

    @Argument(parsing: .postTerminator, help: ArgumentHelp("What reads the text, and its arguments.", valueName: "CMD"))
    var command: [String] = []

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        InjectAction(
            place: try options.place(), input: input == "-" ? nil : input,
            destination: try destination(self.command.isEmpty ? nil : command))
    }

    private func destination(_ command: CommandLineWords?) throws(CommandError) -> InjectAction.Destination {
        switch (output, command) {
        case (nil, nil), ("-", nil): return .standardOutput
        case ("", nil): throw .usage("can't write '': it has no name", hint: "name a file behind -o")
        case (let output?, nil): return .file(output)
        case (nil, let command?) where command.count > 0: return .input(of: command)
        case (nil, _): throw .usage("no command to run", hint: "write it behind '--', or leave out the '--'")
        case (_?, _?): throw .usage("both a file and a command are to get the text", hint: "leave out -o or CMD")
        }
    }
}

/// Writes a template with its references replaced, or nothing at all.
struct InjectAction: VerbAction {
    /// The destination of the filled template.
    enum Destination {
        case standardOutput
        case file(String)
        case input(of: CommandLineWords)
    }

    let place: Place
    /// The path of the template; `nil` for standard input.
    let input: String?
    let destination: Destination

    static var launchesAfterLookup: Bool { true }

    func run() throws(CommandError) {
        let text = try InputFile.read(input, limit: Template.limit)
        let template = try Template(parsing: text, name: input.map(Display.plain) ?? "standard input")
        let secrets = try secrets(of: template)
        try Self.filled(template, text, secrets).withBytes { bytes throws(CommandError) in try handOver(bytes) }
        if case .input(of: let command) = destination { try Launch.become(command) }
    }

    private func handOver(_ bytes: RawSpan) throws(CommandError) {
        switch destination {
        case .standardOutput: try Console.write(bytes)
        case .file(let path): try InjectedFile.write(bytes, to: path)
        case .input: try MemoryFile.becomeStandardInput(bytes)
        }
    }

    /// Returns the secrets in the order of the references.
    ///
    /// - Throws: one ``CommandError`` for all secrets that can't be read.
    private func secrets(of template: Template) throws(CommandError) -> [SecretBox] {
        var resolver = SecretResolver(place: place)
        var secrets: [SecretBox] = []
        for case .reference(let reference) in template.pieces {
            if let secret = try resolver.read(reference) { secrets.append(secret) }
        }
        try resolver.check()
        return secrets
    }

    private static func filled(_ template: Template, _ text: [UInt8], _ secrets: [SecretBox]) -> SecretBytes {
        let capacity = text.count + secrets.reduce(0) { $0 + $1.count }
        return SecretBytes(capacity: capacity) { filled in
            var secrets = secrets[...]
            for piece in template.pieces {
                switch piece {
                case .text(let range): unsafe filled.append(text.span.bytes.extracting(range))
                case .reference: secrets.popFirst()?.bytes.withBytes { filled.append($0) }
                }
            }
        }
    }
}
