import CommandSupport
import CredentialHelpers
import SessionKeyring

/// A client's call of its helper, with the place of its items.
struct HelperCall {
    let client: any HelperClient.Type
    let place: Place
    /// The timeout of secrets that the client stores without a lifetime; `nil` for as long as the scope exists.
    let timeout: Duration?

    /// Opens the store for the helper.
    ///
    /// - Parameters:
    ///   - isStoring: whether the client asks to store a secret.
    ///   - isReading: whether a source can answer for a missing item.
    func helper(isStoring: Bool, isReading: Bool) throws(SecretStoreError) -> CredentialHelper {
        let store = try place.store()
        if isStoring { try place.warnIfShared(in: store) }
        let items = SourcedItems(store, of: place, warns: client.errors != .mixedWithAnswer)
        var helper = CredentialHelper(items: isReading ? items : store, timeout: timeout)
        helper.isDeclared = items.declares
        return helper
    }
}
