import CommandSupport
import SessionKeyring

/// Writes a secret, or a field of it, to standard output.
struct GetAction: VerbAction {
    let target: Target
    let field: String?

    func run() throws {
        // Straight from the memory that the kernel wrote to: no copy, no further memory to lock and to wipe.
        try target.withSecret(in: try target.place.store()) { bytes, item throws(CommandError) in
            guard let field else { return try Console.writeSecret(bytes) }
            try JSONField.extract(field, from: bytes, of: Display.name(of: item)).withBytes {
                part throws(CommandError) in try Console.writeSecret(part)
            }
        }
    }
}

extension GetAction {
    /// `nil` for a call that is not plain.
    init?(plain words: CommandLineWords) {
        var call = PlainCall(words)
        var field: String?
        while let option = call.nextOption() {
            guard option == "--field", field == nil, let path = call.value() else { return nil }
            field = path
        }
        guard let target = call.target() else { return nil }
        self.init(target: target, field: field)
    }
}
