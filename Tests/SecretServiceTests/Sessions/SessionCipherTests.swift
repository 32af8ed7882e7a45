import Keyutils
import SecretText
import Testing

@testable import SecretService

#if EncryptedSessions
    @Suite("The cipher of encrypted sessions")
    struct SessionCipherTests {
        private let vector = Array<UInt8>(0..<16)

        private func cipher() throws -> SessionCipher {
            let agreed = Array<UInt8>(repeating: 7, count: 128)
            let cipher: SessionCipher? = SessionCipher(agreedNumber: agreed.span.bytes)
            return try #require(cipher)
        }

        private func decrypt(_ value: [UInt8], vector: [UInt8]) throws -> [UInt8]? {
            try cipher().decrypt(value.span.bytes, parameters: vector.span.bytes)?.array
        }

        /// The values are from `openssl enc -aes-128-cbc`, with the key that Python's `hmac` derives.
        @Test(
            "values of openssl are decrypted",
            arguments: [
                ("", "3f0003fe8aac057dc680cea9959afbfe"),
                ("tobeornottobe", "68e6edc2bfbcc4f04936155ce34d48c8"),
                ("0123456789abcdef", "ad5a5a8feab4c5cc8f64ca5b805ab9a0d74c1cccb2b98ae552652c6a3a426eb8"),
            ])
        func known(text: String, hexadecimal: String) throws {
            let digits = hexadecimal.compactMap(\.hexDigitValue)
            let value = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            #expect(try decrypt(value, vector: vector) == Array(text.utf8))
        }

        @Test("a secret of any length comes back, and looks different each time")
        func lengths() throws {
            for count in 0...33 {
                let secret = Array<UInt8>(repeating: 1, count: count)
                let first = try cipher().encrypt(SecretBox(copying: secret.span.bytes))
                let second = try cipher().encrypt(SecretBox(copying: secret.span.bytes))
                #expect(first.value.count == count / 16 * 16 + 16)
                #expect(first.value.array != second.value.array && first.parameters.array != second.parameters.array)
                #expect(try decrypt(first.value.array, vector: first.parameters.array) == secret)
            }
        }

        @Test("only a correct padding is accepted", arguments: [3, 16] as [UInt8])
        func paddings(filling: UInt8) throws {
            let secret = Array(repeating: filling, count: 15)
            let (parameters, value) = try cipher().encrypt(SecretBox(copying: secret.span.bytes))
            for last in 0...UInt8.max {
                var changed = parameters.array
                changed[15] ^= 1 ^ last
                let count: Int? = last == 1 || last == filling ? 16 - Int(last) : nil
                #expect(try decrypt(value.array, vector: changed) == count.map { Array(secret.prefix($0)) }, "\(last)")
            }
        }

        @Test("a wrong length is refused")
        func wrongLengths() throws {
            for count in [0, 8, 17] {
                #expect(try decrypt(Array(repeating: 0, count: count), vector: vector) == nil)
            }
            let (parameters, value) = try cipher().encrypt(SecretBox(copying: vector.span.bytes))
            for vector in [[], Array(parameters.array.prefix(15)), parameters.array + [0]] {
                #expect(try decrypt(value.array, vector: vector) == nil)
            }
        }
    }
#endif

extension SecretBox {
    /// A copy of the bytes.
    var array: [UInt8] { bytes.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } } }
}
