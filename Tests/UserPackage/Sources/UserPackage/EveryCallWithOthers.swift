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
    let (item, other) = (ItemIdentity.key(tag: "sign"), ItemIdentity.key(tag: "box"))
    let (signing, box) = (Curve25519.Signing.PrivateKey(), SymmetricKey(size: .bits256))
    try store.set(signing, for: item, timeout: .seconds(60))
    try store.add(box, for: other)
    let again = try store.get(item, as: Curve25519.Signing.PrivateKey.self)
    let isSame = try store.get(other) == box
    precondition(again?.rawRepresentation == signing.rawRepresentation && isSame)
    try await store.set(signing, for: item, waiting: .seconds(1))
    try await store.delete(other, waiting: .seconds(1))
    try await store.add(box, for: other, waiting: .seconds(1))
    let slot = store.slot(for: item, as: Curve25519.Signing.PrivateKey.self)
    try slot.save(slot.load())
}

private func ownKeys(_ store: SecretStore) throws {
    let (item, key) = (ItemIdentity.key(tag: "own"), try OwnKey(rawRepresentation: [1, 2, 3]))
    try store.set(key, for: item)
    try store.delete(item)
    try store.add(key, for: item)
    let (bytes, again) = (try store.get(item, as: [UInt8].self), try store.get(item, as: OwnKey.self))
    let loaded = try store.slot(for: item, as: OwnKey.self).load()
    precondition(bytes == [1, 2, 3] && again == key && loaded == key)
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
