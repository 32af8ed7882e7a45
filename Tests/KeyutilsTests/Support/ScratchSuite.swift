import Keyutils
import SessionKeyringTesting

/// A suite in which each test, and each case of a test, has its own scratch keyring.
class ScratchSuite {
    private let scratch: ScratchKeyring
    let keyring: Keyring

    init() throws {
        scratch = try ScratchKeyring()
        keyring = scratch.keyring
    }
}
