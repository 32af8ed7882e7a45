import Keyutils
import SecretText

#if EncryptedSessions
    import Crypto
    import CryptoExtras
    import FoundationEssentials

    /// The cipher of an encrypted session: AES-128 in CBC mode, with PKCS #7 padding.
    ///
    /// swift-crypto's own CBC mode leaves copies of the plaintext in memory that nobody wipes. So this one encrypts and
    /// decrypts each block in place, in `SecretBytes` that begin with the initialization vector.
    struct SessionCipher {
        static let isAvailable = true
        private static let size = 16
        private let key: SymmetricKey

        /// - Parameter agreedNumber: the big-endian number that both ends have computed.
        init(agreedNumber: RawSpan) {
            key = unsafe agreedNumber.withUnsafeBytes { bytes in
                unsafe HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: bytes), salt: Data(count: 32), info: Data(),
                    outputByteCount: Self.size)
            }
        }

        func encrypt(_ secret: SecretBox) throws -> (parameters: SecretBox, value: SecretBox) {
            let padding = Self.size - secret.count % Self.size
            let message = unsafe try SecretBytes(capacity: Self.size + secret.count + padding) { buffer in
                for position in 0..<Self.size { unsafe buffer[position] = UInt8.random(in: 0...255) }
                secret.bytes.withBytes { unsafe Self.copy($0, to: buffer[Self.size...]) }
                for position in buffer.indices.suffix(padding) { unsafe buffer[position] = UInt8(padding) }
                for start in stride(from: Self.size, to: buffer.count, by: Self.size) {
                    unsafe Self.addPreviousBlock(to: start, in: buffer)
                    var block = unsafe Self.block(at: start, in: buffer)
                    try unsafe AES.permute(&block, key: key)
                }
                return buffer.count
            }
            return message.withBytes { bytes in
                (
                    SecretBox(copying: bytes.extracting(first: Self.size)),
                    SecretBox(copying: bytes.extracting(droppingFirst: Self.size))
                )
            }
        }

        /// Returns `nil` if the value can't be decrypted.
        func decrypt(_ value: RawSpan, parameters: RawSpan) -> SecretBox? {
            let isWhole = value.byteCount > 0 && value.byteCount % Self.size == 0
            guard parameters.byteCount == Self.size, isWhole else { return nil }
            let message = try? unsafe SecretBytes(capacity: Self.size + value.byteCount) { buffer in
                unsafe Self.copy(parameters, to: buffer[...])
                unsafe Self.copy(value, to: buffer[Self.size...])
                for start in stride(from: value.byteCount, to: 0, by: -Self.size) {
                    var block = unsafe Self.block(at: start, in: buffer)
                    try unsafe AES.inversePermute(&block, key: key)
                    unsafe Self.addPreviousBlock(to: start, in: buffer)
                }
                return buffer.count
            }
            return message?.withBytes { bytes in
                Self.padding(of: bytes).map { SecretBox(copying: bytes.extracting(Self.size..<bytes.byteCount - $0)) }
            }
        }

        private static func copy(_ bytes: RawSpan, to slice: Slice<UnsafeMutableRawBufferPointer>) {
            unsafe bytes.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(rebasing: slice).copyMemory(from: $0) }
        }

        private static func block(
            at start: Int, in buffer: UnsafeMutableRawBufferPointer
        ) -> UnsafeMutableBufferPointer<UInt8> {
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + size]).bindMemory(to: UInt8.self)
        }

        /// Combines a block with the previous block, as CBC requires.
        private static func addPreviousBlock(to start: Int, in buffer: UnsafeMutableRawBufferPointer) {
            for position in start..<start + size { unsafe buffer[position] ^= buffer[position - size] }
        }

        /// Returns the number of bytes of a correct padding; `nil` if it is not correct.
        ///
        /// The time depends only on whether it is correct.
        private static func padding(of bytes: RawSpan) -> Int? {
            let count = Int(bytes[bytes.byteCount - 1])
            // Negative if the padding is wrong.
            var sign = (count - 1) | (size - count)
            for distance in 1...size {
                // All ones for a byte of the padding.
                let mask = (distance - 1 - count) >> (Int.bitWidth - 1)
                sign |= mask & -(Int(bytes[bytes.byteCount - distance]) ^ count)
            }
            return sign < 0 ? nil : count
        }
    }
#else
    /// Stands for the cipher, which a build without cryptography does not have.
    enum SessionCipher {
        static let isAvailable = false

        init?(agreedNumber: RawSpan) { nil }
        func encrypt(_ secret: SecretBox) throws -> (parameters: SecretBox, value: SecretBox) { switch self {} }
        func decrypt(_ value: RawSpan, parameters: RawSpan) -> SecretBox? { switch self {} }
    }
#endif
