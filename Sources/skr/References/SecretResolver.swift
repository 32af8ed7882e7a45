import CommandSupport
import Keyutils
import SessionKeyring

/// Reads the secrets that references name.
struct SecretResolver {
    /// The most bytes that all secrets together may have.
    static let limit = 64 << 20

    private let place: Place
    private var store: SecretStore?
    private var total = 0
    private var failures = SecretFailures()

    init(place: Place) {
        self.place = place
    }

    /// The secret, or `nil` where it can't be had, which ``check()`` tells later with all others.
    ///
    /// The keyring is looked for with the first reference: who has none needs no keyring.
    mutating func read(_ reference: SecretReference) throws(CommandError) -> SecretBox? {
        let store = try openStore()
        let target = Target(place: place, service: reference.service, account: reference.account)
        do throws(CommandError) {
            let secret = try Self.read(reference, target, from: store)
            total += secret.count
            guard total <= Self.limit else { throw Self.tooMuch }
            return secret
        } catch {
            guard error != Self.tooMuch else { throw error }
            failures.add(error, name: Display.name(of: target.exactItem))
            return nil
        }
    }

    /// Notes that a secret was read but is of no use.
    mutating func reject(_ reference: SecretReference, because problem: String, hint: String) {
        let target = Target(place: place, service: reference.service, account: reference.account)
        let name = Display.name(of: target.exactItem)
        failures.add(CommandError(exitCode: .data, message: "\(name): \(problem)", hint: hint), name: name)
    }

    /// Throws unless all that was asked for could be had.
    func check() throws(CommandError) {
        try failures.check()
    }

    private mutating func openStore() throws(CommandError) -> SecretStore {
        if let store { return store }
        do throws(SecretStoreError) {
            let opened = try place.store()
            store = opened
            return opened
        } catch {
            throw CommandError(error)
        }
    }

    private static func read(
        _ reference: SecretReference,
        _ target: Target,
        from store: SecretStore
    ) throws(CommandError) -> SecretBox {
        var secret: SecretBox?
        try target.withSecret(in: store) { bytes, item throws(CommandError) in
            guard let field = reference.field else {
                secret = SecretBox(SecretBytes(copying: bytes))
                return
            }
            secret = SecretBox(try JSONField.extract(field, from: bytes, of: Display.name(of: item)))
        }
        guard let secret else { throw CommandError(SecretStoreError(.notFound, item: target.exactItem)) }
        return secret
    }

    private static let tooMuch = CommandError(
        exitCode: .data, message: "the secrets together have more than \(limit >> 20) MiB",
        hint: "name fewer of them at once"
    )
}
