import CommandSupport
import SessionKeyring

extension Target {
    /// Lends the secret that is meant to `body`, in the memory that the kernel wrote to.
    func withSecret(
        in store: SecretStore,
        _ body: (RawSpan, ItemIdentity) throws(CommandError) -> Void
    ) throws(CommandError) {
        do {
            // Most calls name an item that is there: one look, before anything is listed.
            if try lend(exactItem, from: store, to: body) { return }
            let item = try meantItem(in: store)
            guard item != exactItem, try lend(item, from: store, to: body) else {
                throw SecretStoreError(.notFound, item: exactItem)
            }
        } catch let error as CommandError {
            throw error
        } catch let error as SecretStoreError {
            throw CommandError(error)
        } catch {
            throw CommandError(exitCode: .internalError, message: "\(error)", hint: nil)
        }
    }

    private func lend(
        _ item: ItemIdentity,
        from store: SecretStore,
        to body: (RawSpan, ItemIdentity) throws(CommandError) -> Void
    ) throws -> Bool {
        var failure: CommandError?
        let found: Void? = try store.withBytes(of: item) { bytes in
            do throws(CommandError) {
                try body(bytes, item)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return found != nil
    }
}
