import Keyutils

/// The state of a name in a keyring.
enum NameState: Equatable {
    case free
    /// A key that has expired or was revoked. It keeps the name until the kernel collects it.
    case dead
    case live(Key)

    var key: Key? {
        if case .live(let key) = self { key } else { nil }
    }
}

extension Keyring {
    /// Finds the keyring with this name, as ``find(_:_:)`` does.
    func find(keyring description: String) throws(KeyringError) -> Keyring {
        Keyring(try find(.keyring, description).serial)
    }

    /// Looks up a name in this keyring and in keyrings that it links.
    func state(of type: KeyType, _ description: String) throws(KeyringError) -> NameState {
        do throws(KeyringError) {
            return .live(try find(type, description))
        } catch {
            guard error.isKeyGone else { throw error }
            return error.isKeyDead ? .dead : .free
        }
    }

    /// Searches for a key; a refusal counts only if it lasts.
    ///
    /// To check possession, the kernel looks for the keyring in the caller's whole tree. While others move keyrings and
    /// keys there, it may miss the keyring or the key for a moment.
    @inline(__always)
    func find(_ type: KeyType, _ description: String) throws(KeyringError) -> Key {
        do throws(KeyringError) {
            return try search(type, description)
        } catch {
            if error.code == .notFound { throw error }
            return try find(type, description, after: error)
        }
    }

    @inline(never)
    private func find(
        _ type: KeyType, _ description: String, after error: KeyringError
    ) throws(KeyringError) -> Key {
        guard error.code == .accessDenied else { throw error }
        var backoff = SecondLooks.refusalBackoff
        for _ in 1..<SecondLooks.refusedSearches {
            Pause.sleep(backoff.next())
            do throws(KeyringError) {
                return try search(type, description)
            } catch {
                guard error.code == .accessDenied else { throw error }
            }
        }
        Pause.sleep(backoff.next())
        return try search(type, description)
    }
}
