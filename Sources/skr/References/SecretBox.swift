import Keyutils

/// Secret bytes that can be kept in a collection, which bytes without copies can't.
final class SecretBox: Sendable {
    let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    var hasNUL: Bool {
        bytes.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe $0.contains(0) } }
    }
}
