import Glibc
import Testing

@testable import Keyutils

/// How values of unknown length are read; the real ones that are so long need a kernel with big keys.
@Suite("Values whose length the kernel tells")
struct SecretReadingTests {
    @Test(
        "a value is asked for until there is room for all of it, though it grows meanwhile",
        arguments: [(0, 3), (99, 3), (100, 1), (101, 1)])
    func grows(expected: Int, calls: Int) throws {
        var rooms: [Int] = []
        let secret = try SecretBytes.reading(.read, expecting: expected) { buffer in
            rooms.append(buffer.count)
            let value = pattern(rooms.count == 1 ? 100 : 5_000)
            if value.count <= buffer.count { UnsafeMutableRawBufferPointer(buffer).copyBytes(from: value) }
            return value.count
        }
        #expect(rooms.count == calls)
        let isWhole = secret.array() == pattern(calls == 1 ? 100 : 5_000)
        #expect(isWhole)
    }

    @Test("a call that fails is asked once, and its error comes out")
    func fails() {
        var calls = 0
        expectFailure(.revoked) { () throws(KeyringError) in
            _ = try SecretBytes.reading(.read, expecting: 1) { _ in
                calls += 1
                errno = EKEYREVOKED
                return -1
            }
        }
        #expect(calls == 1)
    }
}
