import CommandSupport
import SessionKeyring

struct DeleteVerb: Verb {
    static let name = "delete"
    static let summary = "Delete a secret."
    static let details = """
        Without ACCOUNT, delete takes the item that has no account, or else the only account of the service; \
        then it prints that account on standard error. Exit code 1 if the item doesn't exist.
        """

    static let examples = """
        skr delete api
        skr delete db alice
        """

    private let target: TargetWords

    init(_ words: inout CommandWords) { target = TargetWords(&words) }

    func run() throws {
        let target = try target.target()
        let store = try target.place.store()
        let item = try target.meantItem(in: store)
        let isDeleted = try store.delete(item)
        // A remembered failure of the item's source goes too, so that the next reader runs the source.
        guard try (item.kind == .password ? store.delete(item.failure) : false) || isDeleted else {
            throw target.missing(item, in: store, hint: MissingItem.listHint)
        }
        // The user named only the service, so report the account that was chosen.
        if target.account == nil, !item.account.isEmpty { Console.note("deleted \(Display.name(of: item))") }
    }
}
