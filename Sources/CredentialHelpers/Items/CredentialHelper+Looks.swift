import SecretText
import SessionKeyring

/// A look at several items, one after the other.
///
/// A store that changes an item's kind or account stores the new item before it deletes the old one. A reader that
/// comes to the old one too late, and has passed the place of the new one, finds neither, so it looks again.
struct ItemLook {
    private let helper: CredentialHelper
    /// Whether an item that was looked at was absent, though a list had it.
    private(set) var hasMissed = false
    /// Whether items are looked for by their names alone, so that any of them may just have changed.
    var isByName = false

    fileprivate init(_ helper: CredentialHelper) {
        self.helper = helper
    }

    /// An item's secret; `nil` for an absent item, and for a record without a secret.
    mutating func credential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let payload = try helper.items.get(item) else {
            hasMissed = true
            return nil
        }
        return CredentialRecord(SecretBox(payload), of: item)
    }

    /// The same; `nil` also for a secret that has expired though its item still exists.
    mutating func liveCredential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let found = try credential(item), !helper.isOver(found.expires) else { return nil }
        return found
    }
}

extension CredentialHelper {
    /// Runs `body` until it finds something, or has seen all items that it looked for, a limited number of times.
    func lookingAgain<Result: ~Copyable>(
        _ body: (inout ItemLook) throws(SecretStoreError) -> Result?
    ) throws(SecretStoreError) -> Result? {
        for round in 1...Self.mostLooks {
            var look = ItemLook(self)
            if let result = try body(&look) { return result }
            let isBelieved = look.isByName ? round == Self.looksByName : !look.hasMissed
            if isBelieved { return nil }
        }
        return nil
    }

    /// Each look that misses an item met another process that stored or deleted one.
    private static let mostLooks = 100
    /// A miss costs microseconds, and a store that changes a kind hides its item from one look at most.
    private static let looksByName = 3
}
