import Keyutils
import SessionKeyring

extension SecretStore {
    /// Returns the facts about an item's value, or `nil` if there aren't any.
    func facts(of item: ItemIdentity) throws(SecretStoreError) -> ItemFacts? {
        try backend.readWithFacts(item) { _ in }?.facts
    }

    /// Stores an item's value again, with facts that make it due for a refresh.
    ///
    /// - Parameter isUsable: whether others get the value while it is refreshed.
    func makeDue(_ item: ItemIdentity, isUsable: Bool = true) throws {
        guard let secret = try bytes(of: item) else { throw SecretStoreError(.unavailable, item: item) }
        try secret.withBytes { bytes in
            try set(bytes, for: item, ItemFacts(usability: isUsable ? .always : .never))
        }
    }

    /// Stores a value and these facts about it.
    func set(_ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout? = nil, _ facts: ItemFacts) throws {
        var wait = Wait()
        try wait.run { effort throws(SecretStoreError) in
            try backend.set(bytes, for: item, timeout: timeout, facts, effort, after: nil)
        }
    }
}
