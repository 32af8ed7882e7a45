import Keyutils

extension SecretStore {
    func encoded<Value: Encodable>(
        _ value: Value, for item: ItemIdentity
    ) throws(SecretStoreError) -> SecretBytes {
        let codec = codec
        return try encoding(item) { try RawCoding.encode(value, else: codec) }
    }

    func encoding(
        _ item: ItemIdentity,
        _ encode: () throws -> SecretBytes
    ) throws(SecretStoreError) -> SecretBytes {
        do {
            return try encode()
        } catch {
            throw .unencodable(error, item: item)
        }
    }

    func decoding<Value>(
        _ item: ItemIdentity,
        with decode: (RawSpan) throws -> Value
    ) throws(SecretStoreError) -> Value? {
        var result: Result<Value, any Error>?
        try check(item)
        _ = try backend.read(item) { bytes in result = Result { try decode(bytes) } }
        do {
            return try result?.get()
        } catch {
            throw .undecodable(error, item: item)
        }
    }

    /// Decodes bytes as `get` does.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: RawSpan, of item: ItemIdentity, by codec: any SecretCodec
    ) throws(SecretStoreError) -> Value {
        do {
            return try RawCoding.decode(type, from: bytes, else: codec)
        } catch {
            throw .undecodable(error, item: item)
        }
    }
}
