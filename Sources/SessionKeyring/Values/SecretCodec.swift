public import Keyutils

/// How values become bytes and back.
///
/// JSON is the default; bring your own for anything else.
///
/// What a codec throws reaches callers as `undecodable` or `unencodable` with the coding path of a `DecodingError` or
/// `EncodingError`, and nothing more: such errors often quote the data.
public protocol SecretCodec: Sendable {
    /// The bytes for a value.
    ///
    /// - Throws: why the value can't be encoded.
    func encode<Value: Encodable>(_ value: Value) throws -> SecretBytes

    /// The value in these bytes.
    ///
    /// - Throws: why they hold none.
    func decode<Value: Decodable>(_ type: Value.Type, from bytes: RawSpan) throws -> Value
}
