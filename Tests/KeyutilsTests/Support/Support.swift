import Keyutils
import SessionKeyringTesting
import Testing

extension Keyring {
    /// Adds a `user` key.
    @discardableResult
    func add(_ name: String, _ payload: [UInt8] = [1, 2, 3]) throws(KeyringError) -> Key {
        try add(.user, name, payload: payload.span.bytes)
    }

    /// Adds a key of any type.
    @discardableResult
    func add(_ type: KeyType, _ name: String, _ payload: [UInt8]) throws(KeyringError) -> Key {
        try add(type, name, payload: payload.span.bytes)
    }
}

extension Key {
    /// Returns the payload in ordinary memory.
    func bytes() throws(KeyringError) -> [UInt8] {
        try withPayload { payload in payload.withUnsafeBytes { [UInt8]($0) } }
    }

    func update(with payload: [UInt8]) throws(KeyringError) {
        try update(payload.span.bytes)
    }

    /// Checks a signature by the test key.
    func verify(_ signature: [UInt8], of digest: [UInt8]) throws(KeyringError) {
        try verify(
            signature: signature.span.bytes, ofDigest: digest.span.bytes, parameters: TestCertificate.parameters
        )
    }

    /// Signs with the test key.
    func sign(_ digest: [UInt8]) throws(KeyringError) -> [UInt8] {
        try sign(digest: digest.span.bytes, parameters: TestCertificate.parameters)
    }

    func encrypt(_ data: [UInt8]) throws(KeyringError) -> [UInt8] {
        try encrypt(data.span.bytes, parameters: "enc=pkcs1")
    }

    func decrypt(_ data: [UInt8]) throws(KeyringError) -> [UInt8] {
        try decrypt(data.span.bytes, parameters: "enc=pkcs1").array()
    }
}

extension SecretBytes {
    /// Returns the contents in ordinary memory.
    func array() -> [UInt8] {
        withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
    }
}

/// Returns bytes that differ from their neighbours and are never zero.
///
/// They repeat, because a debug build copies bytes much faster than it computes them.
func pattern(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count { bytes += period }
    bytes.removeLast(bytes.count - count)
    return bytes
}

private let period: [UInt8] = {
    var (bytes, value): ([UInt8], Int) = ([], 0)
    for _ in 0..<255 {
        bytes.append(UInt8(value + 1))
        value = (value + 7) % 255
    }
    return bytes
}()

/// Records an issue unless `body` fails with this code.
func expectFailure(
    _ code: KeyringError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(KeyringError) -> Void
) {
    do throws(KeyringError) {
        try body()
        Issue.record("expected the error \(code), but nothing was thrown", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}

/// The setup step that failed and ended an exit test early.
struct SetupFailure: Error {
    let step: String
}
