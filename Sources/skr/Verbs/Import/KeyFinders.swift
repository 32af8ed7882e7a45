import CommandSupport
import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// The `user` keys that a keyring links itself.
private struct ForeignKeys {
    /// With the name as far as it is text, and `isText` where it is that.
    let keys: [(key: Key, name: String, isText: Bool)]

    /// None where there is no such keyring.
    init(in ring: Keyring?) throws(KeyringError) {
        var keys: [(key: Key, name: String, isText: Bool)] = []
        for serial in try ring?.members() ?? [] {
            // What is dead, or others' alone, is none that could be imported.
            guard let description = try? Key(serial).describe(), description.type == .user else { continue }
            keys.append((Key(serial), description.name, description.isExact))
        }
        self.keys = keys
    }

    /// The user's keyring, whose keys only who possesses it may read: not every session links it.
    static func userKeyring() throws(KeyringError) -> Keyring {
        try Keyring.thread.link(Key(.userKeyring))
        return Keyring(.userKeyring)
    }

    /// The keyring of that name in the session, or what the session links.
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
    /// A key whose payload, or its beginning, is the secret.
    fileprivate mutating func append(
        _ key: Key, named name: String, service: String, account: String,
        taking part: @escaping (RawSpan) -> Int = { $0.byteCount }
    ) {
        // A key that may not be read is none that could be imported.
        guard !service.isEmpty else { return passOver(name, because: "its name has no service") }
        guard let size = try? key.withPayload(part) else { return passOver(name, because: "it can't be read") }
        append(
            FoundSecret(service: service, account: account, size: size) { () throws(CommandError) in
                try? key.withPayload { payload in SecretBox(copying: payload.extracting(0..<part(payload))) }
            })
    }
}

extension String {
    /// What is before and behind the last of these characters.
    fileprivate func splitAtLast(_ separator: Unicode.Scalar) -> (before: String, behind: String)? {
        guard let place = unicodeScalars.lastIndex(of: separator) else { return nil }
        return (String(self[..<place]), String(self[unicodeScalars.index(after: place)...]))
    }
}

/// `user` keys called `keyring-rs:USER@SERVICE`, or `keyring:USER@SERVICE` from its version 4 on.
struct KeyringRSFinder: SecretFinder {
    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        var known: Set<KeySerial> = []
        for ring in [Keyring(.sessionKeyring), try persistent].compactMap({ $0 }) {
            for (key, name, isText) in try ForeignKeys(in: ring).keys where known.insert(key.serial).inserted {
                let prefix = ["keyring-rs:", "keyring:"].first { name.hasPrefix($0) }
                guard let prefix else { continue }
                // The library joins them so, and either may have an '@': in users it is frequent.
                if isText, let (user, service) = String(name.dropFirst(prefix.count)).splitAtLast("@") {
                    found.append(key, named: name, service: service, account: user)
                } else {
                    found.passOver(name, because: isText ? "its name has no @" : Self.notText)
                }
            }
        }
        return found
    }

    /// The persistent keyring, if there is one.
    ///
    /// To ask the kernel for it would make it. Only who has linked it may read its keys.
    private var persistent: Keyring? {
        get throws(KeyringError) {
            guard LoginSurvey().persistentKeyring != nil else { return nil }
            return try Keyring.persistent(linkingInto: .thread)
        }
    }
}

/// The keys in a keyring that is called as the program's `ServiceName` says; the payload is the secret as it is.
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

/// `SERVICE:USER` in the session's keyring `python-keyring-keyutils`.
struct PythonKeyringFinder: SecretFinder {
    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        for (key, name, isText) in try ForeignKeys(in: ForeignKeys.ring(named: "python-keyring-keyutils")).keys {
            // A service that is a URL has a ':' of its own.
            if isText, let (service, user) = name.splitAtLast(":") {
                found.append(key, named: name, service: service, account: user)
            } else {
                found.passOver(name, because: isText ? "its name has no colon" : Self.notText)
            }
        }
        return found
    }
}

/// Keys of the user keyring, as `systemd-ask-password --keyname=NAME` caches passwords: with NUL bytes between them.
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
