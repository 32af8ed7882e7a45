import FoundationEssentials
import Keyutils

/// Strings, bytes and keys that have raw bytes are stored as those; every other type goes through the store's codec.
///
/// What an optional holds is stored as if it were none.
enum RawCoding {
    /// A `nil`, of which a codec would make a secret such as `null`.
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

    /// What an optional of a type may hold, however many times it is one.
    private static func plainType(of type: Any.Type) -> Any.Type {
        guard type != String.self, let optional = type as? any OptionalValue.Type else { return type }
        return plainType(of: optional.wrappedType)
    }

    /// The same value, whose type the compiler can't know to be the one that was asked for.
    private static func cast<Value>(_ raw: some Any) throws -> Value {
        guard let value = raw as? Value else { throw Undecodable() }
        return value
    }

    /// Bytes that were asked for as a string and are not UTF-8.
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
