import Keyutils

/// How values of a type become bytes, and are read from them.
package struct ValueCoding<Value> {
    let encode: (Value) throws -> SecretBytes
    let decode: (RawSpan) throws -> Value
}

extension SecretStore {
    package func coding<Value: Codable>(_ type: Value.Type) -> ValueCoding<Value> {
        ValueCoding(
            encode: { [codec] value in try RawCoding.encode(value, else: codec) },
            decode: { [codec] bytes in try RawCoding.decode(type, from: bytes, else: codec) })
    }
}
