import CommandSupport
import SecretText
import SessionKeyring

/// Reads the secrets that references name, and reports all failures in one error.
struct SecretResolver {
    /// The largest number of bytes that all secrets together can have.
    static let limit = 64 << 20

    private let place: Place
    private var items: SourcedItems?
    private var total = 0
    private var failures: [(name: String, error: CommandError)] = []

    /// Returns the secrets in the order of the references; `nil` for a missing reference.
    ///
    /// All secrets are looked up before the first source runs. The sources run one after the other, because two of them
    /// can't share a terminal.
    ///
    /// - Parameter problem: returns the reason why a secret can't be used; `nil` if it can be used.
    /// - Throws: one ``CommandError`` for all secrets that can't be read or used, or that of the first source that
    ///   fails.
    static func secrets(
        of references: [SecretReference?], in place: Place,
        rejecting problem: (_ position: Int, SecretBox) -> (reason: String, hint: String)? = { _, _ in nil }
    ) throws(CommandError) -> [SecretBox?] {
        var resolver = SecretResolver(place: place)
        var secrets = references.map { _ in SecretBox?.none }
        for runsSources in [false, true] {
            for (position, reference) in references.enumerated() where secrets[position] == nil {
                guard let reference else { continue }
                secrets[position] = try runsSources ? resolver.fetch(reference) : resolver.read(reference)
                if let secret = secrets[position], let (reason, hint) = problem(position, secret) {
                    resolver.reject(reference, because: reason, hint: hint)
                }
            }
            try resolver.check()
        }
        return secrets
    }

    /// Returns the secret; `nil` if it can't be read, which ``check()`` reports, or if only its source has it.
    ///
    /// The first call opens the store, so that a text without references doesn't need a keyring.
    private mutating func read(_ reference: SecretReference) throws(CommandError) -> SecretBox? {
        let items = try CommandError.translating { try self.items ?? SourcedItems(place.store(), of: place) }
        self.items = items
        let target = Target(place: place, service: reference.service, account: reference.account, isReference: true)
        var secret: SecretBox?
        do throws(CommandError) {
            switch try target.lookUp(field: reference.field, in: items, { SecretBox(copying: $0) }) {
            case .found(let found): secret = found
            case .source: break
            case .missing(let error): throw error
            }
        } catch {
            add(error, name: Display.name(of: target.exactItem))
        }
        return try count(secret)
    }

    /// Returns the secret, from its source if it is missing.
    private mutating func fetch(_ reference: SecretReference) throws(CommandError) -> SecretBox? {
        guard let items else { return nil }
        let target = Target(place: place, service: reference.service, account: reference.account, isReference: true)
        return try count(target.withSecret(field: reference.field, in: items) { SecretBox(copying: $0) })
    }

    private mutating func count(_ secret: SecretBox?) throws(CommandError) -> SecretBox? {
        total += secret?.count ?? 0
        guard total <= Self.limit else {
            throw .data(
                "the secrets together have more than \(Self.limit >> 20) MiB", hint: "use fewer of them in one call")
        }
        return secret
    }

    /// Records that a secret was read but can't be used.
    private mutating func reject(_ reference: SecretReference, because problem: String, hint: String) {
        let name = Display.name(of: .password(service: reference.service, account: reference.account ?? ""))
        add(.data("\(name): \(problem)", hint: hint), name: name)
    }

    /// Throws one error for all failures, with the largest of their exit codes.
    private func check() throws(CommandError) {
        guard let worst = failures.map(\.error).max(by: { $0.exitCode.rawValue < $1.exitCode.rawValue }) else { return }
        guard failures.count > 1 else { throw worst }
        let message =
            worst.exitCode == .noItem
            ? "no such items, or they have expired: \(failures.map(\.name).joined(separator: ", "))\(place.remark)"
            : "\(failures.count) secrets can't be used: \(failures.map(\.error.message).joined(separator: "; "))"
        // If items are missing, prefer a hint that says more than the usual one, whichever item it is about.
        let telling = failures.first { worst.exitCode == .noItem && $0.error.hint != MissingItem.usualHint }
        let hint = telling.flatMap { failure in failure.error.hint.map { "\(failure.name): \($0)" } }
        var error = CommandError(exitCode: worst.exitCode, message: message, hint: hint ?? worst.hint)
        error.secondHint = (telling?.error ?? worst).secondHint
        throw error
    }

    private mutating func add(_ error: CommandError, name: String) {
        if !failures.contains(where: { $0.error == error }) { failures.append((name, error)) }
    }
}
