import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "staged")

@Suite("Staged values", .tags(.kernel))
struct StagingTests {
    @Test("a secret that is too large for any key is refused, and the error states the limit")
    func sizeLimit() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        // A secret of only NULs takes one more byte.
        for (byte, limit) in [(1, 32_767), (0, 32_766)] as [(UInt8, Int)] {
            let secret = [UInt8](repeating: byte, count: limit + 1)
            #expect { try store.set(secret, for: item) } throws: {
                ($0 as? SecretStoreError)?.code == .tooLarge(size: limit + 1, limit: limit)
            }
        }
        #expect(try store.items().isEmpty)
    }

    @Test(
        "if the kernel refuses a step of a set, the set throws the error, keeps the old item and leaves nothing staged",
        arguments: [5, 10, 15, 30] as [CInt])
    func incomplete(operation: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [operation = operation as CInt] in
            let store = try SecretStore.inNewSession(with: item)
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            let members = try ring.members()
            // KEYCTL_SETPERM, KEYCTL_SEARCH, KEYCTL_SET_TIMEOUT, KEYCTL_MOVE
            guard test_filter_install(operation, ENOMEM) == 0 else { exit(3) }
            let error = try storeError { try store.set("new", for: item, lasting: .seconds(60)) }
            succeed(4, error?.code == .unexpected && error?.underlying?.code == .outOfMemory)
            succeed(5, try ring.members() == members)
            // A get needs the search.
            if operation != 10 { succeed(6, try store.get(item) == "old") }
            succeed(7, try Keyring.resolve(.threadKeyring).members().isEmpty)
        }
    }
}
