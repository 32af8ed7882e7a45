import Keyutils

/// The key of a shared fetch: the item, where it is stored, and the type that its callers ask for.
struct FetchKey: Hashable, Sendable {
    private enum Place: Hashable {
        case shared(FetchPlace)
        case backend(ObjectIdentifier)
        /// The store itself, because no other store is known to be at the same place.
        case store(ObjectIdentifier)
    }

    private let place: Place
    private let item: ItemIdentity
    private let type: ObjectIdentifier

    init(_ store: SecretStore, _ item: ItemIdentity, _ type: Any.Type) {
        if let shared = store.backend.fetchPlace {
            place = .shared(shared)
        } else if Swift.type(of: store.backend) is AnyClass {
            place = .backend(ObjectIdentifier(store.backend as AnyObject))
        } else {
            place = .store(ObjectIdentifier(store))
        }
        self.item = item
        self.type = ObjectIdentifier(type)
    }
}

/// A place for items in this process: a namespace in a scope.
public struct FetchPlace: Hashable, Sendable {
    let scope: SecretScope
    let anchor: Int32
    let namespace: Name
}
