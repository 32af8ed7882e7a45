import CProcess
import Glibc
import Keyutils
import SecretText

/// The environment of a command: ours, with some variables set.
///
/// It is built apart from our own, so that no secret is in this process's `/proc/PID/environ`.
@safe struct EnvironmentBlock {
    /// `NAME=value` with a NUL behind it, and the length of `NAME=`.
    private var entries: [(bytes: SecretBox, prefixLength: Int)] = []

    /// Sets a variable that was not set before.
    mutating func set(_ name: String, to value: RawSpan) {
        let entry = SecretBytes(capacity: name.utf8.count + value.byteCount + 2) { entry in
            for byte in name.utf8 { entry.append(byte) }
            entry.append(UInt8(ascii: "="))
            entry.append(value)
            entry.append(0)
        }
        entries.append((SecretBox(entry), name.utf8.count + 1))
    }

    /// Lends the environment to C.
    func withPointers<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let inherited = unsafe current_environment()
        var length = 0
        while unsafe inherited?[length] != nil { length += 1 }
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
            .allocate(capacity: length + entries.count + 1)
        defer { unsafe pointers.deallocate() }
        var count = 0
        for position in 0..<length {
            guard let entry = unsafe inherited?[position], unsafe !isReplaced(entry) else { continue }
            unsafe pointers[count] = entry
            count += 1
        }
        for (entry, _) in entries {
            unsafe pointers[count] = UnsafeMutablePointer(mutating: Self.text(entry))
            count += 1
        }
        unsafe pointers[count] = nil
        return withExtendedLifetime(entries) { unsafe body(pointers) }
    }

    /// Whether an inherited entry is replaced by one of ours.
    private func isReplaced(_ entry: UnsafePointer<CChar>) -> Bool {
        entries.contains { bytes, prefixLength in
            guard let text = unsafe Self.text(bytes) else { return false }
            return unsafe strncmp(entry, text, prefixLength) == 0
        }
    }

    /// An entry for C; it stays where it is for as long as the block lives.
    private static func text(_ entry: SecretBox) -> UnsafePointer<CChar>? {
        unsafe entry.bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
        }
    }
}
