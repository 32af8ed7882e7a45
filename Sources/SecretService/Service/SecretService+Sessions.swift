import Keyutils
import SecretText
import SessionKeyring

/// Sessions, and the secrets that belong to one.
extension SecretService {
    func openSession(_ body: inout WireReader, _ client: String) throws -> (inout WireWriter) -> Void {
        let algorithm = try body.string()
        let type = try body.variant().bytes
        let (session, output): (SecretSession, WireValue)
        switch (algorithm, type) {
        case ("plain", Array("s".utf8)): (session, output) = (.plain, .string(""))
        case (SecretSession.encryption, Array("ay".utf8)) where SessionCipher.isAvailable:
            let keys = nextKeys ?? KeyPair()
            (nextKeys, sessionsAreEncrypted) = (nil, true)
            guard let agreed = try body.bytes({ SecretSession(agreeingWith: $0, by: keys) }) else {
                throw ServiceFailure.invalid("that is not a public key of the group")
            }
            (session, output) = (agreed, .bytes(keys.publicKey))
        default:
            let encryption = SessionCipher.isAvailable ? " or \(SecretSession.encryption)" : ""
            throw ServiceFailure.notSupported("use the algorithm plain\(encryption)")
        }
        guard sessions[Name(client), default: [:]].count < 256 else {
            throw ServiceFailure.limit("close some sessions first")
        }
        sessionCount += 1
        let path = "\(Self.path)/session/\(sessionCount)"
        sessions[Name(client), default: [:]][path] = session
        return { writer in
            writer.variant(output)
            writer.string(path)
        }
    }

    /// Returns the session that a client has opened.
    func session(_ path: String, _ client: String) throws -> SecretSession {
        guard let session = sessions[client]?[path] else { throw ServiceFailure.noSession }
        return session
    }

    func secrets(
        _ body: inout WireReader, _ client: String, _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        let found = try progress.list {
            let (paths, sessionPath) = (try distinct(body.objectPaths()), try body.objectPath())
            let session = try session(sessionPath, client)
            return paths.map { path in
                { list in
                    guard case .item(let collection, let item)? = try? self.find(path, for: client),
                        let secret = try collection.ifReadable({
                            try self.secret(of: item, in: collection, session, sessionPath)
                        })
                    else { return }
                    list.found.append(.init(path: path, write: secret.write))
                    list.size += secret.size
                    guard list.size <= Self.mostSecretBytes else {
                        throw ServiceFailure.limit("ask for fewer secrets at a time")
                    }
                }
            }
        }
        return { writer in
            writer.entries(found) { entry, writer in
                writer.string(entry.path)
                writer.align(to: 8)
                entry.write(&writer)
            }
        }
    }

    /// The most bytes of secrets in one answer, and the most objects in one call.
    private static let (mostSecretBytes, mostObjects) = (2 << 20, 2_000)

    /// Returns the paths without repetitions.
    func distinct(_ paths: [String]) throws -> [String] {
        var seen: Set<Name> = []
        let distinct = paths.filter { seen.insert(Name($0)).inserted }
        guard distinct.count <= Self.mostObjects else { throw ServiceFailure.limit("name fewer objects at a time") }
        return distinct
    }

    /// Returns what writes an item's secret, and its size; `nil` if the item is gone.
    func secret(
        of item: ItemIdentity, in collection: SecretCollection, _ session: SecretSession, _ path: String
    ) throws -> (write: (inout WireWriter) -> Void, size: Int)? {
        var bytes = SecretBytes(zeros: 0)
        guard let texts = try collection.store.texts(of: item, { bytes = SecretBytes(copying: $0) }) else { return nil }
        let (parameters, value) = try session.encode(SecretBox(bytes))
        let type = ItemDetails(texts).contentType
        let write = { (writer: inout WireWriter) in
            writer.align(to: 8)
            writer.string(path)
            parameters.bytes.withBytes { writer.bytes($0) }
            value.bytes.withBytes { writer.bytes($0) }
            writer.string(type)
        }
        return (write, value.count)
    }

    /// Reads a secret, which belongs to a session of the client.
    func readSecret(
        _ body: inout WireReader, _ client: String
    ) throws -> (secret: SecretBox, contentType: String) {
        try body.align(to: 8)
        let session = try session(try body.objectPath(), client)
        let parameters = try body.bytes { SecretBox(copying: $0) }
        let secret = try body.bytes { value in
            parameters.bytes.withBytes { session.decode(parameters: $0, value: value) }
        }
        guard let secret else { throw ServiceFailure.invalid("the secret can't be decrypted") }
        let type = try body.string()
        try ItemDetails.check(type, "content type")
        return (secret, type)
    }
}
