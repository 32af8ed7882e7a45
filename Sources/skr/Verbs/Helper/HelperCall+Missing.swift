import CommandSupport
import SessionKeyring

extension HelperCall {
    /// Returns the error for an item that the client would have received.
    func missing(_ item: ItemIdentity) throws(CommandError) -> CommandError {
        let error = try CommandError.translating {
            MissingItem(item: item, isAnyAccount: item.account.isEmpty, place: place)
                .error(lookingIn: try place.store())
        }
        guard error.hint == MissingItem.usualHint else { return error }
        return CommandError(exitCode: error.exitCode, message: error.message, hint: "store it: \(try storing(item))")
    }

    /// Returns the command that stores the item in this place.
    private func storing(_ item: ItemIdentity) throws(CommandError) -> String {
        let options = Place.options(place.scope, place.namespace, insteadOf: try Place())
        guard item.kind == .internet else {
            let names = [item.service, item.account].filter { !$0.isEmpty }
            let end = names.contains { $0.utf8.first == UInt8(ascii: "-") } ? " --" : ""
            return "skr set\(options)\(end) \(names.map(Display.shellWord).joined(separator: " "))"
        }
        // netrc reads only items that clients have stored, and clients store each item for an address.
        let address = item.service.contains("://") ? item.service : "https://\(item.service)"
        return "skr helper keyring\(options) set \(Display.shellWord(address)) USER"
    }
}
