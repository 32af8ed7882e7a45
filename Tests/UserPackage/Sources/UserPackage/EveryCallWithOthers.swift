// Makes the calls that involve other packages: Foundation, swift-crypto and swift-configuration, with both traits.
import Configuration
import Crypto
import Foundation
import SessionKeyring
import SessionKeyringConfiguration
import SessionKeyringTesting

/// A user's own key type, which is also `Codable`.
private struct OwnKey: RawRepresentableKey, Codable, Equatable {
    let rawRepresentation: Data

    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
        self.rawRepresentation = rawRepresentation.withUnsafeBytes { Data($0) }
    }
}

func callAllWithOthers(_ store: SecretStore) async throws {
    try await keys(store)
    try ownKeys(store)
    try codecs()
    try configuration(store)
    try store.clear()
}

private func keys(_ store: SecretStore) async throws {
    let (signing, box) = (Curve25519.Signing.PrivateKey(), SymmetricKey(size: .bits256))
    let slot = store.slot(for: .key(tag: "sign"), as: Curve25519.Signing.PrivateKey.self, lasting: .seconds(60))
    let boxes = store.slot(for: .key(tag: "box"), as: SymmetricKey.self)
    try slot.save(signing)
    try await boxes.save(box, waiting: .seconds(1))
    let (again, isSame) = try (slot.load(), boxes.load() == box)
    let bytes = try store.get(.key(tag: "sign"), as: Data.self)
    precondition(again.rawRepresentation == signing.rawRepresentation && bytes == signing.rawRepresentation && isSame)
}

private func ownKeys(_ store: SecretStore) throws {
    let (item, key) = (ItemIdentity.key(tag: "own"), try OwnKey(rawRepresentation: [1, 2, 3]))
    let slot = store.slot(for: item, as: OwnKey.self)
    try slot.save(key)
    let (bytes, loaded) = try (store.get(item, as: [UInt8].self), slot.load())
    precondition(bytes == [1, 2, 3] && loaded == key)
}

private func codecs() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let store = SecretStore(backend: InMemoryBackend(), codec: JSONSecretCodec(encoder: encoder))
    try store.set(["b": 1, "a": 2], for: .password(service: "sorted"))
    let text = try store.get(.password(service: "sorted"), as: String.self)
    precondition(text == #"{"a":2,"b":1}"#)
}

private func configuration(_ store: SecretStore) throws {
    try store.set("s3cret", for: .password(service: "database.password"))
    let config = ConfigReader(provider: SessionKeyringProvider(store: store))
    precondition(config.string(forKey: "database.password", isSecret: true) == "s3cret")
}
