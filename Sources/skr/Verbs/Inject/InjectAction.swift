import CommandSupport
import Keyutils

/// Hands over a template with its references replaced, or nothing at all.
struct InjectAction: VerbAction {
    /// Where the filled template goes.
    enum Destination {
        case standardOutput
        case file(String)
        case input(of: CommandLineWords)
    }

    let place: Place
    /// Where the template is; standard input if `nil`.
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

    /// The secrets in their order; throws unless all can be had.
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
        return unsafe SecretBytes(capacity: capacity) { buffer in
            var secrets = secrets[...]
            var count = 0
            func append(_ bytes: RawSpan) {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
                count += bytes.byteCount
            }
            for piece in template.pieces {
                switch piece {
                case .text(let range): unsafe append(text.span.bytes.extracting(range))
                case .reference: secrets.popFirst()?.bytes.withBytes { append($0) }
                }
            }
            return count
        }
    }
}
