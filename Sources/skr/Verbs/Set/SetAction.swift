import CommandSupport
import Keyutils
import SecretText
import SessionKeyring
import SystemPackage

/// Stores a secret that it reads from standard input, or asks for on the terminal.
struct SetAction {
    let target: Target
    /// `nil` if neither an option nor a variable has a timeout.
    let timeout: TimeoutArgument?
    let isNew, isRaw, allowsEmpty: Bool

    func run() throws {
        let item = target.exactItem
        let store = try target.place.store()
        // Checked before we ask for a secret that could not be stored.
        try checkBeforehand(item, in: store)
        let secret = try readSecret()
        let lost = isNew || timeout != nil ? nil : Self.timeLeft(of: item, in: store)
        if isNew {
            try store.add(secret, for: item, lasting: Lifetime(timeout?.duration))
        } else {
            try store.set(secret, for: item, lasting: Lifetime(timeout?.duration))
        }
        warnOfCarriageReturn(secret, item)
        guard let lost else { return }
        let (left, enough) = (
            DurationText.short(lost.atLeast, precision: lost.precision),
            DurationText.rounded(lost.atLeast + lost.precision)
        )
        Console.note("\(Display.name(of: item)): the old timeout of \(left) is gone; add --timeout \(enough)")
    }

    /// Warns about a text that ends in CR, which clients would take for a part of the secret.
    private func warnOfCarriageReturn(_ secret: borrowing SecretBytes, _ item: ItemIdentity) {
        let endsInReturn = secret.withBytes { bytes in
            bytes.byteCount > 0 && bytes[bytes.byteCount - 1] == UInt8(ascii: "\r") && bytes.isText
        }
        guard endsInReturn else { return }
        Console.warn(
            "\(Display.name(of: item)): the secret ends in a carriage return, as lines of Windows files do",
            hint: "unless it belongs to the secret, store it again: tr -d '\\r' < FILE | skr set ...")
    }

    /// Returns the time that an existing item has left; `nil` without a timeout.
    ///
    /// This reads `/proc/keys` only if the item exists.
    private static func timeLeft(of item: ItemIdentity, in store: SecretStore) -> KeyTimeLeft? {
        guard case .after(let left)? = (try? store.attributes(of: item))?.expiry else { return nil }
        return left
    }

    private func checkBeforehand(_ item: ItemIdentity, in store: SecretStore) throws(SecretStoreError) {
        try target.place.checkWrite(of: item)
        try target.place.warnIfShared(in: store)
        // Ignore other errors here: the write reports them, and also an item that another process has stored by then.
        if isNew, (try? store.contains(item)) == true { throw SecretStoreError(.duplicate, item: item) }
    }

    private func readSecret() throws(CommandError) -> SecretBytes {
        guard !Console.isInputTerminal else {
            return try SecretPrompt.ask("secret for \(promptedName): ", allowsEmpty: allowsEmpty)
        }
        let secret = try readInput()
        guard allowsEmpty || !secret.isEmpty else { throw nothingCameIn }
        return secret
    }

    /// The name in the prompt.
    ///
    /// It states which word is the account, so that the user notices a secret that was typed as an argument.
    private var promptedName: String {
        "service \(Display.plain(target.service))" + (target.account.map { ", account \(Display.plain($0))" } ?? "")
    }

    private func readInput() throws(CommandError) -> SecretBytes {
        // One byte and a newline more than a key can hold, so that we notice a secret that is too large.
        let limit = Key.largestUserPayload + 2
        let input: SecretBytes
        do throws(Errno) {
            input = try SecretBytes.reading(.standardInput, limit: limit)
        } catch {
            throw .internalError(
                "can't read the secret from standard input: \(error)",
                hint: "pipe the secret in, or run skr on a terminal")
        }
        guard input.count < limit else {
            throw .internalError(
                "the secret has more than \(Key.largestUserPayload) bytes, the most that a key can hold",
                hint: "split it, or keep it elsewhere and store its location")
        }
        let count = input.withBytes { $0.countWithoutNewline }
        guard !isRaw, count < input.count else { return input }
        return input.withBytes { SecretBytes(copying: $0.extracting(first: count)) }
    }

    /// The error for empty input.
    ///
    /// It does not show the account, which could be a secret that was passed as an argument by mistake.
    private var nothingCameIn: CommandError {
        let mistake =
            target.account == nil
            ? "check the program that should print it"
            : "don't pass a secret as an argument, pipe it in: printf %s \"$SECRET\" | skr set SERVICE ACCOUNT"
        return .usage(
            "no secret on standard input; nothing was stored",
            hint: "\(mistake); to store an empty secret, add --allow-empty")
    }
}
