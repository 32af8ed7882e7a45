import Keyutils

/// The key and the hash of an item's value, and the facts about it.
package struct KnownValue: Sendable {
    /// The number of the value's key; in memory, another number that each write changes.
    package let key: Int32
    /// The hash of the value's bytes.
    package let hash: UInt64
    /// The facts about this value; `nil` if none are known.
    package let facts: ItemFacts?

    package init(key: Int32, hash: UInt64, facts: ItemFacts?) {
        (self.key, self.hash, self.facts) = (key, hash, facts)
    }
}
