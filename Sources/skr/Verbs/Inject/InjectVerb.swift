import CommandSupport
import Keyutils
import SecretText

struct InjectVerb: Verb {
    static let name = "inject"
    static let summary = "Fill secrets into a template."
    static let details = """
        inject replaces each {{ skr://SERVICE[/ACCOUNT][?field=PATH] }} in the template with the secret's exact \
        bytes. The blanks inside the braces are optional. All other text stays unchanged, even other {{ }}. If \
        skr can't get a secret, CMD doesn't start, nothing is written, and the error names all such secrets.

        As in Go's templates, '{{- skr://api }}' also removes the white space before the braces, '{{ skr://api \
        -}}' the white space after them. Braces with a text that begins with skr: and is not a reference are an \
        error.

        With CMD, skr becomes CMD once the text is complete, and CMD reads the text from standard input. With \
        -o, FILE is replaced in one step or stays unchanged, and the text is never in another file.

        Without -o and CMD, the text goes to standard output. In 'skr inject | PROGRAM', PROGRAM starts even if \
        a secret is missing, so prefer -o or CMD.

        A new FILE has mode 0600. An existing FILE keeps its mode, and its owner if you may set that. skr \
        follows a link, and writes directly to a FIFO or a device. FILE's file system must support files without \
        a name (O_TMPFILE); NFS and FAT don't.

        FILE keeps the secrets even after their timeout.
        """

    static let examples = """
        skr inject -i config.template -o /run/app/config
        skr inject -i config.template -- ssh host 'cat > /run/app/config'
        echo 'X-Key: {{ skr://api }}' \\
          | skr inject -- curl -H @- https://example.com/
        """

    private let input, output: String?
    private let options: PlaceOptions
    private let command: CommandLineWords?

    init(_ words: inout CommandWords) {
        input = words.option(
            "--input", "-i", value: "FILE", "The template; standard input if left out or '-'.", .files)
        output = words.option(
            "--output", "-o", value: "FILE", "The file to write, in one step; standard output if '-'.", .files)
        options = PlaceOptions(&words)
        command = words.command("The command that reads the text, and its arguments.")
    }

    func run() throws {
        let destination = try destination(command)
        try InjectAction(place: options.place(), input: input == "-" ? nil : input, destination: destination).run()
    }

    private func destination(_ command: CommandLineWords?) throws(CommandError) -> InjectAction.Destination {
        switch (output, command) {
        case (nil, nil), ("-", nil): return .standardOutput
        case ("", nil): throw .usage("can't write '': the file name is empty", hint: "name a file after -o")
        case (let output?, nil): return .file(output)
        case (nil, let command?) where command.count > 0: return .input(of: command)
        case (nil, _): throw .usage("no command to run", hint: "write it after '--', or leave out the '--'")
        case (_?, _?): throw .usage("the text can't go to both a file and a command", hint: "leave out -o or CMD")
        }
    }
}

/// Writes a template with its references replaced, or nothing at all.
struct InjectAction {
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
        case .file(let path): try ReplacedFile.write(bytes, to: path)
        case .input: try MemoryFile.becomeStandardInput(bytes)
        }
    }

    /// Returns the secrets in the order of the references.
    ///
    /// - Throws: one ``CommandError`` for all secrets that can't be read.
    private func secrets(of template: Template) throws(CommandError) -> [SecretBox] {
        var references: [SecretReference?] = []
        for case .reference(let reference) in template.pieces { references.append(reference) }
        return try SecretResolver.secrets(of: references, in: place).compactMap(\.self)
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
