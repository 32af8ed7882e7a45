import FoundationEssentials
import Keyutils

/// The conversion of values to bytes, with or without the store's codec.
///
/// Strings, bytes and keys that have raw bytes are stored as those bytes. The store's codec encodes every other type.
/// An optional is stored like the value that it holds.
enum RawCoding {
    /// The error for `nil`, which a codec would turn into a secret such as `null`.
    struct MissingValue: Error {}

    static func encode<Value: Encodable>(_ value: Value, else codec: any SecretCodec) throws -> SecretBytes {
        if Value.self == String.self, let text = value as? String { return SecretBytes(utf8: text) }
        if Value.self == Data.self, let data = value as? Data { return SecretBytes(copying: data.bytes) }
        if Value.self == [UInt8].self, let bytes = value as? [UInt8] { return SecretBytes(copying: bytes) }
        if let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrapped as? any Encodable else { throw MissingValue() }
            return try encode(wrapped, else: codec)
        }
        if let key = value as? any RawRepresentableKey { return key.secretBytes }
        return try codec.encode(value)
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: RawSpan,
        else codec: any SecretCodec
    ) throws -> Value {
        let plainType = plainType(of: type)
        if plainType == String.self {
            let text = unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
            guard let value = text as? Value else { throw Undecodable() }
            return value
        }
        if plainType == Data.self { return try cast(unsafe bytes.withUnsafeBytes { unsafe Data($0) }) }
        if plainType == [UInt8].self { return try cast(unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }) }
        if let keyType = plainType as? any RawRepresentableKey.Type { return try cast(keyType.init(decoding: bytes)) }
        return try codec.decode(type, from: bytes)
    }

    /// Returns the type inside an optional, however deeply nested, or the type itself.
    private static func plainType(of type: Any.Type) -> Any.Type {
        guard type != String.self, let optional = type as? any OptionalValue.Type else { return type }
        return plainType(of: optional.wrappedType)
    }

    /// Returns the same value as the requested type; the compiler can't know that the types are equal.
    private static func cast<Value>(_ raw: some Any) throws -> Value {
        guard let value = raw as? Value else { throw Undecodable() }
        return value
    }

    /// The error for bytes that were requested as a string but are not UTF-8.
    private struct Undecodable: Error {}
}

/// An optional of any type.
private protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate static var wrappedType: Any.Type { Wrapped.self }
    fileprivate var wrapped: Any? { map { $0 } }
}

/// The conversion of values of one type to bytes and back.
package struct ValueCoding<Value> {
    let encode: (Value) throws -> SecretBytes
    let decode: (RawSpan) throws -> Value
}
