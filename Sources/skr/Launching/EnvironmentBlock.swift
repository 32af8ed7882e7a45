import CKeyutils
import Glibc
import Keyutils

/// The environment that a command gets: ours, with some variables set.
///
/// It is built beside our own and never becomes it, so that no secret is in what `/proc` shows of this process.
@safe struct EnvironmentBlock {
    private var names: [String] = []
    private var entries: [HeldSecret] = []

    /// Sets a variable that was not set before.
    mutating func set(_ name: String, to value: RawSpan) {
        let entry = unsafe SecretBytes(capacity: name.utf8.count + value.byteCount + 2) { buffer in
            var position = 0
            for byte in name.utf8 {
                unsafe buffer[position] = byte
                position += 1
            }
            unsafe buffer[position] = UInt8(ascii: "=")
            unsafe value.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[(position + 1)...]).copyMemory(from: $0)
            }
            return buffer.count
        }
        names.append(name)
        entries.append(HeldSecret(entry))
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
        for entry in entries {
            // The entry does not move, and outlives the call.
            entry.bytes.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    unsafe pointers[count] = UnsafeMutablePointer(mutating: start)
                }
            }
            count += 1
        }
        unsafe pointers[count] = nil
        return withExtendedLifetime(entries) { unsafe body(pointers) }
    }

    /// Whether this entry of what we were given is set anew.
    private func isReplaced(_ entry: UnsafePointer<CChar>) -> Bool {
        names.contains { name in
            let length = name.utf8.count
            return unsafe strncmp(entry, name, length) == 0 && entry[length] == CChar(UInt8(ascii: "="))
        }
    }
}
