import Keyutils

/// The key of a shared fetch: the item, where it is stored, and the type that its callers ask for.
struct FetchKey: Hashable, Sendable {
    private enum Place: Hashable {
        case shared(StorePlace)
        /// The backend, or the store if no other one is known to be at the same place.
        case object(ObjectIdentifier)
    }

    private let place: Place
    private let item: ItemIdentity
    private let type: ObjectIdentifier
    private let sealing: ObjectIdentifier?
    private let isStrict: Bool

    /// - Parameters:
    ///   - store: the store, which alone shares its fetches if its backend has no place and no identity.
    ///   - sealing: what encrypts the stored values.
    ///   - isStrict: whether the fetch is never abandoned (``FetchPolicy/isStrict``).
    init(
        _ backend: any SecretBackend, of store: AnyObject, _ item: ItemIdentity, _ type: Any.Type,
        sealing: SecretSealing? = nil, isStrict: Bool = false
    ) {
        if let shared = backend.place {
            place = .shared(shared)
        } else {
            place = .object(ObjectIdentifier(Swift.type(of: backend) is AnyClass ? backend as AnyObject : store))
        }
        (self.item, self.sealing, self.isStrict) = (item, sealing?.id, isStrict)
        self.type = ObjectIdentifier(type)
    }
}
