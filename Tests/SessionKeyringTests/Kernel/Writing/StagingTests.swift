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
        "if the kernel refuses permissions or timeout, nothing is stored or stays staged",
        arguments: [5, 15] as [CInt])
    func incomplete(operation: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [operation = operation as CInt] in
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            // KEYCTL_SETPERM, KEYCTL_SET_TIMEOUT
            guard test_filter_install(operation, ENOMEM) == 0 else { exit(3) }
            do {
                try store.set("new", for: item, timeout: .seconds(60))
                exit(4)
            } catch let error as SecretStoreError {
                succeed(5, error.underlying?.code == .outOfMemory)
            }
            succeed(6, try store.get(item) == "old")
            succeed(7, try Keyring.resolve(.threadKeyring).members().isEmpty)
            exit(0)
        }
    }
}
