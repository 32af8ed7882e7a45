import Keyutils
import SessionKeyring

/// Writes a secret, or a field of it, to standard output.
struct GetAction {
    let target: Target
    let field: String?

    func run() throws {
        let store = try target.place.store()
        // Most calls name an item that is there: one look, before anything is listed.
        if try write(target.exactItem, from: store) { return }
        let item = try target.meantItem(in: store)
        guard item != target.exactItem, try write(item, from: store) else {
            throw SecretStoreError(.notFound, item: target.exactItem)
        }
    }

    private func write(_ item: ItemIdentity, from store: SecretStore) throws -> Bool {
        // Straight from the memory that the kernel wrote to: no copy, no further memory to lock and to wipe.
        var failure: CommandError?
        let found: Void? = try store.withBytes(of: item) { bytes in
            do throws(CommandError) {
                try write(bytes, of: item)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return found != nil
    }

    private func write(_ bytes: RawSpan, of item: ItemIdentity) throws(CommandError) {
        guard let field else { return try Console.writeSecret(bytes) }
        let text = try JSONField.extract(field, from: bytes, of: Display.name(of: item))
        try unsafe Console.writeSecret(text.utf8Span.span.bytes)
    }
}
