import Foundation
import Keyutils

/// Looks at memory by its address, regardless of its owner.
enum Memory {
    static func holds(_ bytes: [UInt8], at address: Int) -> Bool {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: bytes.count).elementsEqual(bytes)
    }

    static func isZero(at address: Int, count: Int) -> Bool {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count).allSatisfy { $0 == 0 }
    }

    /// Returns the `VmFlags` in `/proc/self/smaps` of the mapping that holds an address, or `nil` if there isn't one.
    static func flags(at address: Int) throws -> Set<Substring>? {
        guard let file = fopen("/proc/self/smaps", "r") else { throw SetupFailure(step: "smaps") }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 4_096)
        var isHere = false
        while fgets(&buffer, CInt(buffer.count), file) != nil {
            let line = String(
                decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let fields = line.split(separator: " ")
            let range = (fields.first ?? "").split(separator: "-").map { Int($0, radix: 16) }
            if range.count == 2, let start = range[0], let end = range[1] {
                isHere = (start..<end).contains(address)
            } else if isHere, fields.first == "VmFlags:" {
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
