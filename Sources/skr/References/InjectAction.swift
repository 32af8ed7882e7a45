import CommandConventions
import Keyutils

/// Writes a template with its references replaced, or nothing at all.
struct InjectAction {
    let place: Place
    /// The template; standard input if `nil`.
    let path: String?

    func run() throws(CommandError) {
        let text = try InputFile.read(path, limit: Template.limit)
        let template = try Template(parsing: text, name: path.map(Display.plain) ?? "standard input")
        let secrets = try secrets(of: template)
        try Self.filled(template, text, secrets).withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }

    /// The secrets in their order; throws unless all can be had.
    private func secrets(of template: Template) throws(CommandError) -> [HeldSecret] {
        var resolver = SecretResolver(place: place)
        var secrets: [HeldSecret] = []
        for case .reference(let reference) in template.pieces {
            if let secret = try resolver.read(reference) { secrets.append(secret) }
        }
        try resolver.check()
        return secrets
    }

    private static func filled(_ template: Template, _ text: [UInt8], _ secrets: [HeldSecret]) -> SecretBytes {
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
