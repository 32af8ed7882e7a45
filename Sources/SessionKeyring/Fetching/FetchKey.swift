/// What a fetch is about: the same item in the same namespace, asked for as the same type.
struct FetchKey: Hashable, Sendable {
    private enum Place: Hashable {
        case rings(SecretScope, anchor: Int32, namespace: String)
        case backend(ObjectIdentifier)
        /// Nothing else is known to be the same place as that of another store.
        case store(ObjectIdentifier)
    }

    private let place: Place
    private let item: ItemIdentity
    private let type: ObjectIdentifier

    init(_ store: SecretStore, _ item: ItemIdentity, _ type: Any.Type) {
        if let rings = (store.backend as? KernelBackend)?.rings {
            place = .rings(rings.scope, anchor: rings.anchor.serial.rawValue, namespace: rings.namespace)
        } else if Swift.type(of: store.backend) is AnyClass {
            place = .backend(ObjectIdentifier(store.backend as AnyObject))
        } else {
            place = .store(ObjectIdentifier(store))
        }
        self.item = item
        self.type = ObjectIdentifier(type)
    }
}
