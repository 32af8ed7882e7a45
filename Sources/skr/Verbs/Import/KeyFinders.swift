import CommandSupport
import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// The `user` keys that a keyring links directly.
private struct ForeignKeys {
    /// The keys with their names.
    ///
    /// If a name isn't text, its invalid bytes are replaced and `isText` is false.
    let keys: [(key: Key, name: String, isText: Bool)]

    /// Reads the keys of the keyring; the list is empty if `ring` is `nil`.
    init(in ring: Keyring?) throws(KeyringError) {
        var keys: [(key: Key, name: String, isText: Bool)] = []
        for serial in try ring?.members() ?? [] {
            // A dead key, or one that only others can read, can't be imported.
            guard let description = try? Key(serial).describe(), description.type == .user else { continue }
            keys.append((Key(serial), description.name, description.isExact))
        }
        self.keys = keys
    }

    /// Returns the user's keyring, and links it into the thread's keyring.
    ///
    /// Only a process that possesses this keyring can read its keys, and not every session links it.
    static func userKeyring() throws(KeyringError) -> Keyring {
        try Keyring.thread.link(Key(.userKeyring))
        return Keyring(.userKeyring)
    }

    /// Finds the keyring with this name in the anchor, or in a keyring that the anchor links.
    static func ring(named name: String, in anchor: Keyring = Keyring(.sessionKeyring)) throws(KeyringError)
        -> Keyring?
    {
        guard !name.isEmpty else { return nil }
        do throws(KeyringError) {
            return try anchor.search(keyring: name)
        } catch {
            guard [.notFound, .expired, .revoked, .accessDenied].contains(error.code) else { throw error }
            return nil
        }
    }
}

extension FoundSecrets {
    /// Appends a key whose payload, or the beginning of it, is the secret.
    fileprivate mutating func append(
        _ key: Key, named name: String, service: String, account: String,
        taking part: @escaping (RawSpan) -> Int = { $0.byteCount }
    ) {
        // A key that can't be read can't be imported.
        guard !service.isEmpty else { return passOver(name, because: "its name has no service") }
        guard let size = try? key.withPayload(part) else { return passOver(name, because: "it can't be read") }
        append(
            FoundSecret(service: service, account: account, size: size) { () throws(CommandError) in
                try? key.withPayload { payload in SecretBox(copying: payload.extracting(0..<part(payload))) }
            })
    }
}

extension String {
    /// Splits the string at the last occurrence of this character.
    fileprivate func splitAtLast(_ separator: Unicode.Scalar) -> (before: String, behind: String)? {
        guard let place = unicodeScalars.lastIndex(of: separator) else { return nil }
        return (String(self[..<place]), String(self[unicodeScalars.index(after: place)...]))
    }
}

/// Finds the keys of keyring-rs: `keyring-rs:USER@SERVICE`, or `keyring:USER@SERVICE` from its version 4 on.
struct KeyringRSFinder: SecretFinder {
    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        var known: Set<KeySerial> = []
        for ring in [Keyring(.sessionKeyring), try persistent].compactMap({ $0 }) {
            for (key, name, isText) in try ForeignKeys(in: ring).keys where known.insert(key.serial).inserted {
                let prefix = ["keyring-rs:", "keyring:"].first { name.hasPrefix($0) }
                guard let prefix else { continue }
                // The library joins the two with an '@', and either can contain one. Users contain one more often.
                if isText, let (user, service) = String(name.dropFirst(prefix.count)).splitAtLast("@") {
                    found.append(key, named: name, service: service, account: user)
                } else {
                    found.passOver(name, because: isText ? "its name has no @" : Self.notText)
                }
            }
        }
        return found
    }

    /// The persistent keyring, if it exists.
    ///
    /// Asking the kernel for it would create it. Only a process that has linked it can read its keys.
    private var persistent: Keyring? {
        get throws(KeyringError) {
            guard LoginSurvey().persistentKeyring != nil else { return nil }
            return try Keyring.persistent(linkingInto: .thread)
        }
    }
}

/// Finds the keys in the keyring that is named as the program's `ServiceName`; the payload is the secret unchanged.
struct GoKeyringFinder: SecretFinder {
    let service: String

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        let rings = [
            try ForeignKeys.ring(named: service), try ForeignKeys.ring(named: service, in: ForeignKeys.userKeyring()),
        ].compactMap { $0 }
        for ring in Set(rings).sorted(by: { $0.serial.rawValue < $1.serial.rawValue }) {
            for (key, name, isText) in try ForeignKeys(in: ring).keys {
                if isText {
                    found.append(key, named: name, service: service, account: name)
                } else {
                    found.passOver(name, because: Self.notText)
                }
            }
        }
        return found
    }
}

/// Finds the keys `SERVICE:USER` in the session's keyring `python-keyring-keyutils`.
struct PythonKeyringFinder: SecretFinder {
    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        for (key, name, isText) in try ForeignKeys(in: ForeignKeys.ring(named: "python-keyring-keyutils")).keys {
            // A service that is a URL has a ':' itself.
            if isText, let (service, user) = name.splitAtLast(":") {
                found.append(key, named: name, service: service, account: user)
            } else {
                found.passOver(name, because: isText ? "its name has no colon" : Self.notText)
            }
        }
        return found
    }
}

/// Finds the passwords that `systemd-ask-password --keyname=NAME` caches in the user keyring.
///
/// If a key has several passwords, there are NUL bytes between them. The first password is imported.
struct AskPasswordFinder: SecretFinder {
    let name: String?

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        for (key, name, isText) in try ForeignKeys(in: ForeignKeys.userKeyring()).keys
        where self.name == nil || name == self.name {
            guard isText else {
                found.passOver(name, because: Self.notText)
                continue
            }
            found.append(key, named: name, service: name, account: "") { $0.offset(of: 0) ?? $0.byteCount }
        }
        return found
    }
}
