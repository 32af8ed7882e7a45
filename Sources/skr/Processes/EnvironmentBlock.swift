import CProcess
import Glibc
import Keyutils
import SecretText

/// The environment of a command: our own, with some variables set.
///
/// It is separate from our own environment, so that no secret appears in this process's `/proc/PID/environ`.
@safe struct EnvironmentBlock {
    /// Each entry is `NAME=value` followed by a NUL, and the length of `NAME=`.
    private var entries: [(bytes: SecretBox, prefixLength: Int)] = []
    /// The inherited variables that the command doesn't get.
    var removed: [String] = []

    /// Sets a variable that has not been set in this block before.
    mutating func set(_ name: String, to value: RawSpan) {
        let entry = SecretBytes(capacity: name.utf8.count + value.byteCount + 2) { entry in
            for byte in name.utf8 { entry.append(byte) }
            entry.append(UInt8(ascii: "="))
            entry.append(value)
            entry.append(0)
        }
        entries.append((SecretBox(entry), name.utf8.count + 1))
    }

    /// Lends the environment to C code.
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
            guard let entry = unsafe inherited?[position], unsafe !isReplaced(entry), unsafe !isRemoved(entry) else {
                continue
            }
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

    /// Returns whether one of our entries replaces this inherited one.
    private func isReplaced(_ entry: UnsafePointer<CChar>) -> Bool {
        entries.contains { bytes, prefixLength in
            guard let text = unsafe Self.text(bytes) else { return false }
            return unsafe strncmp(entry, text, prefixLength) == 0
        }
    }

    private func isRemoved(_ entry: UnsafePointer<CChar>) -> Bool {
        removed.contains { name in unsafe strncmp(entry, name + "=", name.utf8.count + 1) == 0 }
    }

    /// Returns an entry for C code; it stays at the same address as long as the block lives.
    private static func text(_ entry: SecretBox) -> UnsafePointer<CChar>? {
        unsafe entry.bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
        }
    }
}
