import Keyutils

/// How often to retry if something changes between two system calls, and how long to pause in between.
///
/// These retries don't wait for others: each look is expected to be the last. If a key or ring is displaced again and
/// again within microseconds, the operation ends with `contended`.
enum SecondLooks {
    /// How often to search for a key, or list a ring, if each time a key is displaced before it can be used.
    static let displacedKeys = 1_000
    /// How many of these rounds follow each other without a pause.
    static let quickRounds = 20
    /// How often to use a ring, if each time it is removed or replaced before the use has finished.
    static let replacedRings = 8
    /// How often to try to create a ring, if each time another process creates or removes it first.
    static let madeRings = 3
    /// How often the right ring must refuse a write before the refusal counts: only a lasting one does.
    static let refusedWrites = 4
    /// How often it must refuse a search before the refusal counts, with pauses between 50 us and 1.6 ms.
    static let refusedSearches = 6
    /// How often to try a write, if each time the lease is lost or others change the item first.
    static let lostLeases = 10
    /// How often to look at a lease that is being released.
    static let leaseLooks = 3
    /// How often to list an anchor, if each time rings vanish before they can be described.
    static let listings = 20
    /// How often to read the kernel's table of keys, if each time items are replaced before the read.
    static let tableLooks = 6

    /// Pauses before a round, except for the first rounds.
    ///
    /// Writers that wait for the same ring use it one after the other. If a thread is in step with them, one of them
    /// acts each time between the thread's look at the ring and the use of the result. Such a thread loses hundreds of
    /// rounds in a row; a thread that is out of step loses only a few.
    static func keepApart(_ round: Int) {
        if round > quickRounds { Pause.sleep(.microseconds(.random(in: 50...1_000))) }
    }

    /// Pauses before another write to a ring that refused one.
    static func afterRefusedWrite() { Pause.sleep(.microseconds(200)) }
    /// Pauses before another look at a lease whose record is hidden for a moment because it is being released.
    static func afterHiddenRecord() { Pause.sleep(.milliseconds(1)) }
    /// Pauses before another look at a ring that another process might be removing.
    static func afterRestrictedRing() { Pause.sleep(.milliseconds(1)) }
    /// Pauses before another look at keys that could not be read, perhaps because they were being displaced.
    static func afterUnreadableKeys() { Pause.sleep(.milliseconds(50)) }
    /// The pauses between refused searches; the refusal might be a mistake of the kernel.
    static var refusalBackoff: Backoff { Backoff(from: .microseconds(50), upTo: .microseconds(1_600)) }
}

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
