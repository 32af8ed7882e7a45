public import Keyutils

/// A conversion of values to bytes and back.
///
/// JSON is the default. Provide your own codec for anything else.
///
/// If a codec throws, callers get `undecodable` or `unencodable` with the coding path of the `DecodingError` or
/// `EncodingError`, and nothing more, because such errors often quote the data.
public protocol SecretCodec: Sendable {
    /// Encodes a value as bytes.
    ///
    /// - Throws: an error that explains why the value can't be encoded.
    func encode<Value: Encodable>(_ value: Value) throws -> SecretBytes

    /// Decodes a value from these bytes.
    ///
    /// - Throws: an error that explains why the bytes can't be decoded.
    func decode<Value: Decodable>(_ type: Value.Type, from bytes: RawSpan) throws -> Value
}
