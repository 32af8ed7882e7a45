import CommandSupport
import SessionKeyring

/// An item as the user names it.
struct Target {
    let place: Place
    let service: String
    let account: String?
    /// Whether a reference names the item, and not two words.
    var isReference = false

    /// The item with exactly this name; without an account, the item that has no account.
    var exactItem: ItemIdentity { .password(service: service, account: account ?? "") }

    /// Finds the item that the user means.
    ///
    /// Without an account, this is the item that has no account, or else the only item of the service. If items of
    /// several kinds match, the first kind in the order of `ItemIdentity.Kind.ofSecrets` wins.
    func meantItem(in store: SecretStore) throws(SecretStoreError) -> ItemIdentity {
        try .named(service, account: account, isThere: store.contains, among: store.identities) ?? exactItem
    }

    /// Returns the error for an item that doesn't exist.
    ///
    /// - Parameter hint: the hint if no other scope or namespace has an item of that name either.
    func missing(
        _ item: ItemIdentity, in store: SecretStore, hint: String = MissingItem.usualHint
    ) -> CommandError {
        MissingItem(item: item, isAnyAccount: account == nil, place: place)
            .error(lookingIn: store, hint: accountHint ?? hint)
    }

    /// The hint for a service with a slash, which is how references separate the account.
    private var accountHint: String? {
        let parts = service.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !isReference, account == nil, parts.count == 2, !parts.contains(where: \.isEmpty) else { return nil }
        let words = parts.map { Display.shellWord(String(decoding: $0, as: UTF8.self)) }
        return
            "if '\(Display.plain(String(decoding: parts[1], as: UTF8.self)))' is the account, write it as a separate "
            + "word: \(words[0]) \(words[1])"
    }

    /// Refuses a reference for verbs that take the name of a service only.
    static func requireService(_ service: String) throws(CommandError) {
        guard SecretReference.begins(service.utf8) else { return }
        throw .usage(
            "\(Display.quoted(service)) is a reference, and not the name of a service",
            hint: "write the service's name, or use a verb for one item, such as get or delete")
    }
}

/// The words that name an item, and the options for its place.
struct TargetWords {
    private let options: PlaceOptions
    private let service: String
    let account: String?

    init(_ words: inout CommandWords) {
        options = PlaceOptions(&words)
        service = words.word("SERVICE", "The service that the secret is for, or a reference (skr://...).", .services)
        account = words.optionalWord("ACCOUNT", "The account, if the service has several.", .accounts)
    }

    /// Returns the item that the words name.
    func target() throws(CommandError) -> Target {
        let (target, field) = try target(field: nil)
        guard field == nil else {
            throw .usage(
                "the reference names a field of the secret", hint: "leave out '?field=': only get reads fields")
        }
        return target
    }

    /// Returns the item that the words name, and the field from the option or from a reference.
    func target(field: String?) throws(CommandError) -> (target: Target, field: String?) {
        let place = try options.place()
        guard SecretReference.begins(service.utf8) else {
            return (Target(place: place, service: service, account: account), field)
        }
        let reference: SecretReference
        do throws(InputProblem) {
            reference = try SecretReference(parsing: service)
        } catch {
            throw .usage("\(Display.quoted(service)): \(error.summary)", hint: error.hint)
        }
        guard account == nil else {
            throw .usage("a reference has no account after it", hint: "write it as skr://SERVICE/ACCOUNT")
        }
        guard field == nil || reference.field == nil else {
            throw .usage("both --field and the reference name a field", hint: "leave one of them out")
        }
        return (
            Target(place: place, service: reference.service, account: reference.account, isReference: true),
            field ?? reference.field
        )
    }
}

extension Display {
    /// Returns the item's name as the user writes it.
    static func name(of item: ItemIdentity) -> String {
        let service = plain(item.service)
        if item.kind == .cached {
            return service + plain(CachedVariant.options(of: item.account) ?? " \(item.account)")
        }
        return item.account.isEmpty ? service : "\(service) \(plain(item.account))"
    }
}
