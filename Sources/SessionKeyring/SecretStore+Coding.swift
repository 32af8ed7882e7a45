import Keyutils

extension SecretStore {
    func found<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> Found<Value>? {
        try decoding(item) { bytes in Found(try coding.decode(bytes), from: bytes) }
    }

    package func coding<Value: Codable>(_ type: Value.Type) -> ValueCoding<Value> {
        ValueCoding(
            encode: { [codec] value in try RawCoding.encode(value, else: codec) },
            decode: { [codec] bytes in try RawCoding.decode(type, from: bytes, else: codec) })
    }

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
        // Not a `Result`: looking up a nested generic type at run time is slow, here for each read.
        var value: Value?
        var failure: (any Error)?
        try check(item)
        _ = try backend.read(item) { bytes in
            do {
                value = try decode(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw .undecodable(failure, item: item) }
        return value
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
