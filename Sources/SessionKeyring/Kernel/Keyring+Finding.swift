import Glibc
import Keyutils

extension Keyring {
    /// Searches, and believes a refusal only if it lasts.
    ///
    /// The kernel looks for the keyring in the caller's whole tree to know whether it is possessed, and may miss it, or the
    /// key, for a moment while others move keyrings and keys there.
    func find(_ type: KeyType, _ description: String) throws(KeyringError) -> Key {
        var pause: UInt32 = 50
        while true {
            do throws(KeyringError) {
                return try search(type, description)
            } catch {
                guard error.code == .accessDenied, pause <= 1_600 else { throw error }
                usleep(pause)
                pause *= 2
            }
        }
    }
}
