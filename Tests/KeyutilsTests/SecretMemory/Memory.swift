import Foundation
import Keyutils

/// Looks at memory by its address, regardless of its owner.
enum Memory {
    static func holds(_ bytes: [UInt8], at address: Int) -> Bool {
        guard let start = UnsafeRawPointer(bitPattern: address) else { return bytes.isEmpty }
        return memcmp(start, bytes, bytes.count) == 0
    }

    static func isZero(at address: Int, count: Int) -> Bool {
        holds([UInt8](repeating: 0, count: count), at: address)
    }

    /// Returns the `VmFlags` in `/proc/self/smaps` of the mapping that holds an address, or `nil` if there isn't one.
    static func flags(at address: Int) throws -> Set<Substring>? {
        guard let file = fopen("/proc/self/smaps", "r") else { throw SetupFailure(step: "smaps") }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 4_096)
        var isHere = false
        while fgets(&buffer, CInt(buffer.count), file) != nil {
            // Only the first line of a mapping begins with its addresses, in lower case.
            let isFirst = !(65...90).contains(buffer[0])
            guard isFirst || isHere else { continue }
            let bytes: [UInt8] = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let fields: [Substring] = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
            guard let field = fields.first else { continue }
            if isFirst {
                let range: [Substring] = field.split(separator: "-")
                guard range.count == 2, let start = Int(range[0], radix: 16), let end = Int(range[1], radix: 16)
                else { continue }
                isHere = start <= address && address < end
            } else if field == "VmFlags:" {
                return Set(fields.dropFirst())
            }
        }
        return nil
    }

    /// Sets `RLIMIT_MEMLOCK` to 0 permanently.
    static func forbidLocking() -> Bool {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        return setrlimit(CInt(__RLIMIT_MEMLOCK.rawValue), &limit) == 0
    }

    /// Whether this process is allowed to lock a megabyte, according to the system and not to the library.
    static let mayLock: Bool = {
        let size = 1_048_576
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return false }
        defer { munmap(start, size) }
        return mlock(start, size) == 0
    }()
}
