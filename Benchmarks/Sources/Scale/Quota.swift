import Glibc
import Keyutils

/// What keys take of root's quota and of the kernel's memory.
enum Quota {
    /// Waits until no more than so many keys are charged, and returns how many nanoseconds that took.
    ///
    /// The kernel collects late and in the background; whatever is measured next would pay for what was measured before.
    @discardableResult
    static func settle(keys: Int, meanwhile: () throws -> Void = { usleep(1_000) }) throws -> Int64 {
        let start = Clock.now()
        while try KeyQuota.current().keys > keys {
            guard Clock.now() - start < 60_000_000_000 else { throw Failure("the kernel does not collect") }
            try meanwhile()
        }
        return Clock.now() - start
    }

    /// Bytes of the kernel's own objects that it can't give back on demand.
    static func kernelMemory() throws -> Double {
        guard let file = fopen("/proc/meminfo", "re") else { throw Failure.ofCall("/proc/meminfo") }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: " ")
            if words.first == "SUnreclaim:", let kilobytes = Double(words[1]) { return kilobytes * 1_024 }
        }
        throw Failure("/proc/meminfo has no SUnreclaim")
    }

    /// Lines and bytes of a file of `/proc`, as this process sees it.
    static func size(of path: String) throws -> (lines: Int, bytes: Int) {
        guard let file = fopen(path, "re") else { throw Failure.ofCall(path) }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var (lines, bytes) = (0, 0)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            lines += buffer[..<count].count { $0 == UInt8(ascii: "\n") }
            bytes += count
        }
        return (lines, bytes)
    }
}
