public import FoundationEssentials
public import Keyutils

/// JSON by Foundation's encoder and decoder, so that `jq` and every other language can read a secret with parts.
///
/// The encoder's and decoder's own buffers are ordinary memory that nobody wipes.
public struct JSONSecretCodec: SecretCodec {
    private let customEncoder: JSONEncoder?
    private let customDecoder: JSONDecoder?

    // Made when first needed: a program that stores strings only never pays for them.
    private static let standardEncoder = JSONEncoder()
    private static let standardDecoder = JSONDecoder()

    private var encoder: JSONEncoder { customEncoder ?? Self.standardEncoder }
    private var decoder: JSONDecoder { customDecoder ?? Self.standardDecoder }

    /// A codec with an encoder and a decoder of your own, or Foundation's defaults.
    ///
    /// Leave them alone once they are handed over.
    public init(encoder: JSONEncoder? = nil, decoder: JSONDecoder? = nil) {
        self.customEncoder = encoder
        self.customDecoder = decoder
    }

    /// The value as JSON.
    ///
    /// - Throws: `EncodingError`, or what the value's own encoding throws.
    public func encode<Value: Encodable>(_ value: Value) throws -> SecretBytes {
        SecretBytes(copying: try encoder.encode(value).bytes)
    }

    /// The value in this JSON.
    ///
    /// - Throws: `DecodingError`, or what the type's own decoding throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from bytes: RawSpan) throws -> Value {
        try unsafe bytes.withUnsafeBytes { buffer in
            // The decoder reads the bytes where they are, and keeps nothing of them but what it makes.
            guard let start = buffer.baseAddress else { return try decoder.decode(type, from: Data()) }
            let data = unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: buffer.count, deallocator: .none
            )
            return try decoder.decode(type, from: data)
        }
    }
}
