import SessionKeyring

/// What the items of a run are called.
enum StressItems {
    static let namespace = "stress"
    private static let service = "stress"

    static func identity(_ item: Int) -> ItemIdentity {
        .password(service: service, account: String(item))
    }

    /// Which item of a run it is; `nil` for one that no worker makes.
    static func number(of identity: ItemIdentity) -> Int? {
        guard identity.kind == .password, identity.service == service, let number = Int(identity.account),
            identity == self.identity(number)
        else { return nil }
        return number
    }
}
