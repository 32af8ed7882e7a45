import Keyutils

/// The lease of whoever fetches an item, with the watch over what happens to the item meanwhile.
package final class FetchLease: LeaseHandle {
    let lease: (any LeaseHandle)?
    private let fetch: (any ItemFetch)?
    /// The hash of the value that had been refused when the fetch began.
    let refusal: UInt64?

    init(_ lease: any LeaseHandle, watching fetch: (any ItemFetch)?, refusal: UInt64?) {
        self.lease = lease
        self.fetch = fetch
        self.refusal = refusal
    }

    private init() {
        lease = nil
        fetch = nil
        refusal = nil
    }

    /// In place of one where the quota has no room for it: nobody waits for its holder, and nothing is kept.
    package static let none = FetchLease()

    package var fencingNumber: UInt64 { lease?.fencingNumber ?? 0 }
    package var timeLeft: Duration { lease?.timeLeft ?? .zero }

    package func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        try lease?.renew(lasting: duration) ?? false
    }

    package func release() -> Bool { lease?.release() ?? true }

    /// Whether the item is watched, so that the result can be stored.
    var canStore: Bool { fetch != nil }

    /// Stores what was fetched, unless something happened to the item since the fetch began; false then.
    ///
    /// Tries again if the item's own lease, which is short, was lost on the way.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        while true {
            do throws(SecretStoreError) {
                return try fetch?.store(bytes, timeout: timeout, &attempt) ?? false
            } catch {
                guard error.code == .leaseLost, timeLeft > .zero else { throw error }
            }
        }
    }
}
