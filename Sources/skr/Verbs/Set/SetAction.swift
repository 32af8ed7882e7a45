import CommandSupport
import Keyutils
import SessionKeyring

/// Stores a secret from standard input, or asks for it on the terminal.
struct SetAction: VerbAction {
    let target: Target
    let timeout: Duration?
    let isNew: Bool
    let isRaw: Bool
    let allowsEmpty: Bool

    func run() throws {
        let item = target.exactItem
        let store = try target.place.store()
        // Before anybody is asked for a secret that could not be stored.
        try checkBeforehand(item)
        let secret = try readSecret(for: item)
        if isNew {
            try store.add(secret, for: item, timeout: timeout)
        } else {
            try store.set(secret, for: item, timeout: timeout)
        }
    }

    private func checkBeforehand(_ item: ItemIdentity) throws(SecretStoreError) {
        if let problem = item.problem { throw SecretStoreError(.invalidName(problem), item: item) }
        if let owner = try target.place.secretScope.foreignOwner() {
            throw SecretStoreError(.foreignSession(ownerID: owner), item: item)
        }
        if let timeout, (try? KeyTimeout(timeout)) == nil { throw SecretStoreError(.invalidTimeout, item: item) }
    }

    private func readSecret(for item: ItemIdentity) throws(CommandError) -> SecretBytes {
        guard !Console.isInputTerminal else {
            return try SecretPrompt.ask("secret for \(Display.name(of: item)): ", allowsEmpty: allowsEmpty)
        }
        let secret = try SecretInput.readAll(droppingNewline: !isRaw)
        guard allowsEmpty || !secret.isEmpty else { throw nothingCameIn }
        return secret
    }

    /// Nothing that was typed is shown: where an account is, the secret may have been meant.
    private var nothingCameIn: CommandError {
        let mistake =
            target.account == nil
            ? "look at what should have given it"
            : "a secret is no argument; pipe it in: printf %s \"$SECRET\" | skr set SERVICE ACCOUNT"
        return .usage(
            "standard input gave no secret, and nothing was stored",
            hint: "\(mistake); --allow-empty stores an empty one")
    }
}

extension SetAction {
    /// `nil` for a call that is not plain.
    init?(plain words: CommandLineWords) {
        var call = PlainCall(words)
        var timeout: Duration?
        var (isNew, isRaw, allowsEmpty) = (false, false, false)
        while let option = call.nextOption() {
            switch option {
            case "--new" where !isNew: isNew = true
            case "--raw" where !isRaw: isRaw = true
            case "--allow-empty" where !allowsEmpty: allowsEmpty = true
            case "--timeout" where timeout == nil:
                guard let duration = call.duration() else { return nil }
                timeout = duration
            default: return nil
            }
        }
        guard let target = call.target() else { return nil }
        self.init(target: target, timeout: timeout, isNew: isNew, isRaw: isRaw, allowsEmpty: allowsEmpty)
    }
}
