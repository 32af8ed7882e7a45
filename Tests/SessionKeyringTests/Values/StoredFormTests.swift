import Foundation
import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("The payload encoding of stored values", .tags(.kernel))
struct StoredFormTests {
    private let item = ItemIdentity.password(service: "api")

    @Test("text and bytes are stored unencoded, and other arrays as JSON even if they are empty")
    func forms() throws {
        let store = SecretStore(backend: InMemoryBackend())
        func bytes<Value: Codable & Equatable>(of value: Value) throws -> [UInt8]? {
            try store.set(value, for: item)
            #expect(try store.get(item, as: Value.self) == value)
            return try store.get(item, as: [UInt8].self)
        }
        #expect(try bytes(of: "a") == [0x61])
        #expect(try bytes(of: Data([0xFF, 0x00])) == [0xFF, 0x00])
        #expect(try bytes(of: [0xFF, 0x00] as [UInt8]) == [0xFF, 0x00])
        #expect(try bytes(of: [] as [UInt8]) == [])
        #expect(try bytes(of: [] as [Int]) == Array("[]".utf8))
        #expect(try bytes(of: [] as [String]) == Array("[]".utf8))
        #expect(try bytes(of: [1, 2] as [Int]) == Array("[1,2]".utf8))
    }

    @Test("stored bytes come back unchanged, including NUL bytes", arguments: Place.allCases)
    func zeros(place: Place) throws {
        let kernel = try ScratchStore()
        let store = kernel.store(in: place)
        for bytes in [[], [0], [0, 0], [0, 1], [1, 0], [1]] as [[UInt8]] {
            try store.set(bytes, for: item)
            #expect(try store.get(item, as: [UInt8].self) == bytes)
        }
    }

    @Test("a JSON codec uses the encoder and decoder passed to it")
    func codec() throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        let store = SecretStore(
            backend: InMemoryBackend(), codec: JSONSecretCodec(encoder: encoder, decoder: decoder))
        let dates = [Date(timeIntervalSince1970: 5)]
        try store.set(dates, for: item)
        #expect(try store.get(item, as: [Double].self) == [5])
        #expect(try store.get(item, as: [Date].self) == dates)
    }
}
