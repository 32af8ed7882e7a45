import SecretText
import SessionKeyring

/// One pass over several items, which reads them one after the other.
///
/// A store that changes an item's kind or account stores the new item before it deletes the old one. A reader can pass
/// the new item's place too early and reach the old item too late. It then finds neither, so it has to look again.
struct ItemLook {
    fileprivate let helper: CredentialHelper
    /// Whether an item was absent, although a list contained it.
    private(set) var hasMissed = false
    /// Whether the reader looks items up by name, without a list, so that each of them can have just changed.
    var isByName = false

    /// Returns an item's contents; `nil` for an absent item, and for a record without a secret.
    mutating func credential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let payload = try helper.items.get(item) else {
            hasMissed = true
            return nil
        }
        return CredentialRecord(SecretBox(payload), of: item)
    }

    /// Returns the same; also `nil` for a secret that has expired although its item still exists.
    mutating func liveCredential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let found = try credential(item), !helper.isOver(found.expires) else { return nil }
        return found
    }
}

extension CredentialHelper {
    /// Runs `body` until it returns a result or has missed no item, a limited number of times.
    func lookingAgain<Result: ~Copyable>(
        _ body: (inout ItemLook) throws(SecretStoreError) -> Result?
    ) throws(SecretStoreError) -> Result? {
        for round in 1...Self.mostLooks {
            var look = ItemLook(helper: self)
            if let result = try body(&look) { return result }
            let isBelieved = look.isByName ? round == Self.looksByName : !look.hasMissed
            if isBelieved { return nil }
        }
        return nil
    }

    /// The most looks at listed items.
    ///
    /// A look misses a listed item only if another process stored or deleted one at the same time.
    private static let mostLooks = 100
    /// The number of looks by name.
    ///
    /// A look costs microseconds, and a store that changes a kind hides its item from at most one look.
    private static let looksByName = 3
}
