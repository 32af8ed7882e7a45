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
        var pointers = unsafe inherited()
        for entry in entries {
            // The entry does not move, and outlives the call.
            unsafe pointers.append(
                entry.bytes.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { bytes in
                        unsafe UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
                    }
                })
        }
        unsafe pointers.append(nil)
        return withExtendedLifetime(entries) {
            unsafe pointers.withUnsafeMutableBufferPointer { buffer in
                guard let start = buffer.baseAddress else {
                    preconditionFailure("an environment ends in a null pointer")
                }
                return unsafe body(start)
            }
        }
    }

    /// What we were given, without what is set anew.
    private func inherited() -> [UnsafeMutablePointer<CChar>?] {
        var kept: [UnsafeMutablePointer<CChar>?] = unsafe []
        guard var next = unsafe current_environment() else { return unsafe kept }
        while let entry = unsafe next.pointee {
            let isReplaced = names.contains { name in
                unsafe strncmp(entry, name, name.utf8.count) == 0 && entry[name.utf8.count] == CChar(UInt8(ascii: "="))
            }
            if !isReplaced { unsafe kept.append(entry) }
            unsafe next += 1
        }
        return unsafe kept
    }
}
