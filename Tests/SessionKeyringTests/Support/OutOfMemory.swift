import Keyutils
import SessionKeyring

/// Ends the process with this step unless the call fails because the kernel is out of memory.
func expectOutOfMemory(_ step: Int32, _ call: () throws -> Void) {
    var code: KeyringError.Code?
    do {
        try call()
    } catch {
        code = (error as? KeyringError)?.code ?? (error as? SecretStoreError)?.underlying?.code
    }
    succeed(step, code == .outOfMemory)
}
