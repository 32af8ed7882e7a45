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
        let name = [item.service, item.account].filter { !$0.isEmpty }.map(Display.shellWord).joined(separator: " ")
        // What a client has stored is of another kind than what 'skr set' stores, and a netrc is of that alone.
        let command = item.kind == .internet ? "skr helper keyring set \(name) USER" : "skr set \(name)"
        return CommandError(exitCode: error.exitCode, message: error.message, hint: "store it: \(command)")
    }
}
