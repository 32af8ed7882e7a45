import Glibc
package import Keyutils

/// The keyring through which the holder of a lease writes, so that the write can be stopped for certain.
///
/// A holder may be stopped between its last look at the clock and its write. Therefore the new key goes into the fence
/// first and from there, by one move, to its place: the kernel moves only what is still in the fence. Whoever takes the
/// lease from it closes the fence before: nothing gets in any more (a restriction), and nothing is in it (cleared). Both
/// are serialised by the kernel with the move.
package struct WriteFence: ~Copyable {
    package let keyring: Keyring
    private static let nameStart = "fence."
    private let leases: Keyring
    private let processID = getpid()

    /// Makes a fence, reachable for those who may take the lease.
    ///
    /// Forgotten by a process that was killed, it goes with the next sweep, or dies by itself a minute later than it lasts.
    package init(
        prefix: String, in leases: Keyring, permissions: KeyPermissions, lasting duration: Duration
    ) throws(KeyringError) {
        // A name of its own, so that it displaces no other, with the time from which on its maker has no use for it.
        let end = BootTime.now() + BootTime(duration)
        let name = "\(prefix)\(Self.nameStart)\(getpid()).\(end.nanoseconds)"
        let keyring = try Keyring.thread.addKeyring(name)
        do throws(KeyringError) {
            try Key(keyring).setPermissions(permissions)
            try Key(keyring).setTimeout(KeyTimeout(duration + .seconds(60)))
            try Keyring.thread.move(Key(keyring), to: leases, exclusive: true)
        } catch {
            Staging.discard(Key(keyring))
            throw error
        }
        self.keyring = keyring
        self.leases = leases
    }

    deinit {
        // What is forgotten dies with its timeout. A forked child has no part in it.
        guard processID == getpid() else { return }
        try? leases.unlink(Key(keyring))
    }

    /// Moves a staged key through the fence to its place; false if the fence was closed.
    package func pass(_ key: Key, to destination: Keyring, while isHeld: () -> Bool) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            try Keyring.thread.move(key, to: keyring)
        } catch {
            Staging.discard(key)
            guard error.isOfClosedFence else { throw error }
            return false
        }
        return try move(key, from: keyring, to: destination, while: isHeld)
    }

    /// Takes a key from where it is; false if the fence was closed.
    package func remove(_ key: Key, from place: Keyring, while isHeld: () -> Bool) throws(KeyringError) -> Bool {
        let isDone = try move(key, from: place, to: keyring, while: isHeld)
        // It is gone from its place already, and dies with the fence in any case.
        if isDone { try? keyring.unlink(key) }
        return isDone
    }

    private func move(
        _ key: Key, from source: Keyring, to destination: Keyring, while isHeld: () -> Bool
    ) throws(KeyringError) -> Bool {
        guard isHeld() else {
            try? keyring.clear()
            return false
        }
        do throws(KeyringError) {
            try source.move(key, to: destination)
            return true
        } catch {
            // The same errors tell of a destination that is gone; then the fence is still open.
            guard error.isOfClosedFence, !isOpen else {
                try? keyring.clear()
                throw error
            }
            return false
        }
    }

    private var isOpen: Bool {
        do throws(KeyringError) {
            try Self.requireOpen(keyring)
            return true
        } catch {
            return false
        }
    }

    /// Tries to put the fence into itself: an open one refuses that as a cycle, a closed one refuses everything.
    private static func requireOpen(_ keyring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try keyring.link(Key(keyring))
        } catch {
            guard error.code == .keyringCycle else { throw error }
        }
    }

    /// Whether this is the name of a fence whose maker can't write through it any more.
    static func isForgotten(_ name: some StringProtocol, prefix: String) -> Bool {
        guard name.hasPrefix(prefix + nameStart), let end = name.split(separator: ".").last.flatMap({ UInt64($0) })
        else { return false }
        return BootTime(nanoseconds: end) < BootTime.now()
    }

    /// Closes a fence for good.
    ///
    /// One that is gone lets nothing pass either.
    package static func close(_ keyring: Keyring, in leases: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try keyring.restrict()
        } catch {
            guard error.code == .alreadyExists || error.isAboutDeadKey else { throw error }
        }
        do throws(KeyringError) {
            try keyring.clear()
        } catch {
            guard error.isAboutDeadKey else { throw error }
        }
        // Its name is its own. Where another process was first, that is what was wanted.
        try? leases.unlink(Key(keyring))
    }
}

extension KeyringError {
    fileprivate var isOfClosedFence: Bool {
        isAboutDeadKey || code == .notPermitted || code == .notLinked
    }
}
