import Glibc
import Keyutils
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    static let sizes = [
        0, 1, 63, 64, 65, 255, 256, 257, 1_023, 1_024, 1_025, 4_095, 4_096, 4_097, 32_767, 32_768, 32_769, 65_536,
        1_048_575, 1_048_576, 1_048_577,
    ]

    @Test("a secret of any size returns the bytes that it was created from", arguments: sizes)
    func contents(_ count: Int) {
        let bytes = pattern(count)
        let secret = SecretBytes(copying: bytes)
        let isSame = secret.array() == bytes
        #expect(isSame)
        #expect(secret.count == count)
        #expect(secret.isEmpty == (count == 0))
        let copy = secret.withBytes { SecretBytes(copying: $0) }
        let isEqual = copy.isEqual(to: secret)
        #expect(isEqual)
    }

    @Test("new memory is all zero, even if it held a secret before", arguments: sizes)
    func zero(_ capacity: Int) {
        for _ in 0..<4 {
            let secret = SecretBytes(capacity: capacity) { buffer in
                #expect(buffer.count == capacity)
                #expect(Memory.isZero(at: Int(bitPattern: buffer.baseAddress), count: capacity))
                if capacity > 0 { memset(buffer.baseAddress!, 0xa5, capacity) }
                return capacity
            }
            #expect(secret.count == capacity)
        }
    }

    @Test("an initializer can use less than its capacity")
    func partial() {
        let secret = SecretBytes(capacity: 100) { buffer in
            buffer.copyBytes(from: [1, 2, 3])
            return 2
        }
        #expect(secret.array() == [1, 2])
    }

    @Test("an initializer's error is rethrown with its type")
    func throwing() {
        struct Failure: Error, Equatable { let number: Int }
        do throws(Failure) {
            let secret = try SecretBytes(capacity: 10) { _ throws(Failure) in throw Failure(number: 7) }
            Issue.record("\(secret.count) bytes were made")
        } catch {
            #expect(error == Failure(number: 7))
        }
    }

    @Test("a body's error and result keep their types")
    func borrowing() {
        struct Failure: Error {}
        let secret = SecretBytes(utf8: "pässword")
        #expect(secret.count == 9)
        #expect(secret.withBytes { $0.byteCount } == 9)
        #expect(throws: Failure.self) {
            try secret.withBytes { (_) throws(Failure) -> Int in throw Failure() }
        }
    }

    // The `#expect` macro would copy its operands, and secrets can't be copied.
    private func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        SecretBytes(copying: one).isEqual(to: SecretBytes(copying: other))
    }

    @Test("secrets are equal if their counts and all their bytes are equal", arguments: [1, 64, 65, 1_000, 40_000])
    func equality(_ count: Int) {
        let bytes = pattern(count)
        #expect(areEqual(bytes, bytes))
        for index in [0, count / 2, count - 1] {
            var other = bytes
            other[index] ^= 0x80
            #expect(!areEqual(bytes, other))
        }
        #expect(!areEqual(bytes, bytes + [1]))
        #expect(!areEqual(bytes, [UInt8](bytes.dropLast())))
    }

    @Test("two empty secrets are equal, and not equal to any other secret")
    func emptyEquality() {
        #expect(areEqual([], []))
        #expect(!areEqual([], [0]))
    }

    @Test("an initializer that returns an impossible count traps", arguments: [-1, 11])
    func impossibleCount(_ count: Int) async {
        await #expect(processExitsWith: .failure) { [count = count as Int] in
            _ = SecretBytes(capacity: 10) { _ in count }
        }
    }
}
