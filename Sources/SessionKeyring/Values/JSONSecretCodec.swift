public import FoundationEssentials
public import Keyutils

/// JSON, written and read by Foundation's encoder and decoder.
///
/// `jq` and every other language can read such a secret and its parts. The internal buffers of the encoder and the
/// decoder are ordinary memory that nobody wipes.
public struct JSONSecretCodec: SecretCodec {
    private let customEncoder: JSONEncoder?
    private let customDecoder: JSONDecoder?

    // Created on first use: a program that stores only strings never pays for them.
    private static let standardEncoder = JSONEncoder()
    private static let standardDecoder = JSONDecoder()

    private var encoder: JSONEncoder { customEncoder ?? Self.standardEncoder }
    private var decoder: JSONDecoder { customDecoder ?? Self.standardDecoder }

    /// Creates a codec with your own encoder and decoder, or with Foundation's defaults.
    ///
    /// Don't change or use them after passing them to the codec.
    public init(encoder: JSONEncoder? = nil, decoder: JSONDecoder? = nil) {
        self.customEncoder = encoder
        self.customDecoder = decoder
    }

    /// Encodes the value as JSON.
    ///
    /// - Throws: `EncodingError`, or the error of the value's own encoding.
    public func encode<Value: Encodable>(_ value: Value) throws -> SecretBytes {
        SecretBytes(copying: try encoder.encode(value).bytes)
    }

    /// Decodes a value from JSON.
    ///
    /// - Throws: `DecodingError`, or the error of the type's own decoding.
    public func decode<Value: Decodable>(_ type: Value.Type, from bytes: RawSpan) throws -> Value {
        try unsafe bytes.withUnsafeBytes { buffer in
            // The decoder reads the bytes in place, and keeps only the values that it makes of them.
            guard let start = buffer.baseAddress else { return try decoder.decode(type, from: Data()) }
            let data = unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: buffer.count, deallocator: .none
            )
            return try decoder.decode(type, from: data)
        }
    }
}
