import Keyutils

/// The lease of a process that fetches an item, with a watch for changes to the item during the fetch.
package final class FetchLease: LeaseHandle {
    private let lease: (any LeaseHandle)?
    private let fetch: (any ItemFetch)?
    /// The hash of the value that was marked as refused when the fetch began.
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

    /// The substitute for a lease if the quota has no room for one: nobody waits for it, and nothing is stored.
    package static let none = FetchLease()

    package var fencingNumber: UInt64 { lease?.fencingNumber ?? 0 }
    package var timeLeft: Duration { lease?.timeLeft ?? .zero }

    package func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        fetch?.renew()
        return try lease?.renew(lasting: duration) ?? false
    }

    package func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        try lease?.name(command: processID) ?? false
    }

    package func release() -> Bool { lease?.release() ?? true }

    /// Whether the item is watched, so that the result can be stored.
    var canStore: Bool { fetch != nil }

    /// Stores the fetched value; false if the item was set, deleted or cleared since the fetch began.
    ///
    /// A write also takes the item's own lease for a moment. If that lease was lost, this tries again.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        while true {
            do throws(SecretStoreError) {
                return try fetch?.store(bytes, timeout: timeout, effort) ?? .done(false)
            } catch {
                guard error.code == .leaseLost, timeLeft > .zero else { throw error }
            }
        }
    }
}
