import Keyutils

/// What a name in a keyring stands for.
enum NameState: Equatable {
    case free
    /// A key that has expired or was revoked, which keeps the name until the kernel collects it.
    case dead
    case live(Key)

    var key: Key? {
        if case .live(let key) = self { key } else { nil }
    }
}

extension Keyring {
    /// A keyring of that name, as ``find(_:_:linkingInto:)`` does.
    func find(keyring description: String) throws(KeyringError) -> Keyring {
        Keyring(try find(.keyring, description).serial)
    }

    /// What the name stands for; in keyrings that this one links too.
    func state(of type: KeyType, _ description: String) throws(KeyringError) -> NameState {
        do throws(KeyringError) {
            return .live(try find(type, description))
        } catch {
            guard error.isKeyGone else { throw error }
            return error.isKeyDead ? .dead : .free
        }
    }

    /// Searches, and believes a refusal only if it lasts.
    ///
    /// The kernel looks for the keyring in the caller's whole tree to know whether it is possessed, and may miss it, or the
    /// key, for a moment while others move keyrings and keys there.
    ///
    /// The key is linked into `place` too, unless there is no room for that, or it may not be linked.
    @inline(__always)
    func find(
        _ type: KeyType, _ description: String, linkingInto place: Keyring? = nil
    ) throws(KeyringError) -> Key {
        do throws(KeyringError) {
            return try search(type, description, linkingInto: place)
        } catch {
            if error.code == .notFound { throw error }
            return try find(type, description, after: error, place)
        }
    }

    @inline(never)
    private func find(
        _ type: KeyType, _ description: String, after error: KeyringError, _ place: Keyring?
    ) throws(KeyringError) -> Key {
        if place != nil, error.code == .quotaExceeded || error.code == .accessDenied {
            return try find(type, description)
        }
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

/// What an error says of the key that was touched, or of the name that was looked for: decided here alone.
extension KeyringError {
    /// Whether it is there no more, or keeps its name, dead, until the kernel collects it.
    var isKeyGone: Bool { code == .notFound || isKeyDead }

    /// Whether it keeps its name, expired or revoked, until the kernel collects it.
    var isKeyDead: Bool { code == .expired || code == .revoked }

    /// Whether the key was gone, or going, when it was touched.
    ///
    /// A key that was just displaced or invalidated may also answer that it is no longer possessed. So may one that is there
    /// and not for us: who has to tell them apart looks once more.
    var isKeyGoneOrRefused: Bool { isKeyGone || code == .accessDenied }
}

/// Runs calls of the kernel; their error is reported in the store's terms.
@inline(__always)
func inStoreTerms<Result: ~Copyable>(
    _ item: ItemIdentity? = nil, _ body: () throws(KeyringError) -> Result
) throws(SecretStoreError) -> Result {
    do throws(KeyringError) {
        return try body()
    } catch {
        throw SecretStoreError(error, item: item)
    }
}
