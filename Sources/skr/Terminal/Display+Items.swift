import CommandSupport
import SessionKeyring

extension Display {
    /// An item as the user names it.
    static func name(of item: ItemIdentity) -> String {
        let service = plain(item.service)
        return item.account.isEmpty ? service : "\(service) \(plain(item.account))"
    }
}
