import CommandSupport
import SessionKeyring

extension HelperAction {
    /// What there is to say of an item that the client would have got.
    func missing(_ item: ItemIdentity) throws(CommandError) -> CommandError {
        let error = try CommandError.translating {
            MissingItem(item: item, isAnyAccount: item.account.isEmpty, place: call.place)
                .error(lookingIn: try call.place.store())
        }
        guard error.hint == MissingItem.usualHint else { return error }
        return CommandError(exitCode: error.exitCode, message: error.message, hint: "store it: \(Self.storing(item))")
    }

    /// The command that stores it.
    private static func storing(_ item: ItemIdentity) -> String {
        guard item.kind == .internet else {
            let names = [item.service, item.account].filter { !$0.isEmpty }
            return "skr set \(names.map(Display.shellWord).joined(separator: " "))"
        }
        // A netrc is of what clients have stored alone, and that is for an address.
        let address = item.service.contains("://") ? item.service : "https://\(item.service)"
        return "skr helper keyring set \(Display.shellWord(address)) USER"
    }
}
