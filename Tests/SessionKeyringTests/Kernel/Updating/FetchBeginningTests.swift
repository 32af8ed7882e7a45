import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "fetched")

@Suite("The beginning of a fetch", .tags(.kernel))
struct FetchBeginningTests {
    @Test("where nothing can be placed it is an error, and nothing stays staged", arguments: [false, true])
    func restricted(mayUseLastResorts: Bool) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        try scratch.keyring.search(keyring: "skr:default").restrict()
        let staged = try Keyring.thread.members()
        var attempt = BackendAttempt(mayUseLastResorts: mayUseLastResorts)
        #expect { _ = try store.backend.beginFetch(of: item, &attempt) } throws: {
            ($0 as? SecretStoreError)?.detail == .restricted(try scratch.keyring.search(.keyring, "skr:default").serial)
        }
        #expect(try Keyring.thread.members() == staged)
    }
}
