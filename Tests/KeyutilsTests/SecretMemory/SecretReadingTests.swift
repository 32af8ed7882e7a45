import Glibc
import Testing

@testable import Keyutils

/// Reading with a fake call, because real values of this length need a kernel with big keys.
@Suite("Reading values of unknown length")
struct SecretReadingTests {
    @Test(
        "reading repeats until the buffer is large enough, even if the value grows meanwhile",
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

    @Test("a failed call is not repeated, and its error is thrown")
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
