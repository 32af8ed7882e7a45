import Keyutils
import SessionKeyring

/// The names of a run's items.
enum StressItems {
    static let namespace = "stress"
    private static let service = "stress"

    static func identity(_ item: Int) -> ItemIdentity {
        .password(service: service, account: String(item))
    }

    /// The number of an item in the run; `nil` for an item that no worker makes.
    static func number(of identity: ItemIdentity) -> Int? {
        guard identity.kind == .password, identity.service == service, let number = Int(identity.account),
            identity == self.identity(number)
        else { return nil }
        return number
    }
}
