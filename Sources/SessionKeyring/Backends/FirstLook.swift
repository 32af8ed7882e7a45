import Keyutils

/// One look at an item of the session, for a command that has no time to lose: the way of ``KernelBackend`` where nothing
/// is out of the ordinary, and no answer everywhere else.
///
/// It runs before the Swift runtime is set up, so it keeps to what needs none: integers, plain strings, typed errors
/// without text.
package enum FirstLook {
    /// Lends the item's bytes to `body`.
    ///
    /// False means that `body` was not called and that nothing is known of the item: ask a store, which looks again and
    /// tells what is wrong.
    package static func read(_ item: ItemIdentity, namespace: String, _ body: (RawSpan) -> Void) -> Bool {
        do throws(KeyringError) {
            let session = try Keyring.resolve(.sessionKeyring)
            let ring = try session.search(.keyring, NamespaceRings.itemsName(of: namespace))
            guard try session.links(ring) else { return false }
            let key = try Keyring(ring.serial).search(.user, item.keyDescription)
            try key.withPayload { payload in body(payload.extracting(first: StoredForm.secretSize(payload))) }
            return true
        } catch {
            return false
        }
    }
}
