import CKeyutils

/// The operations that an asymmetric key supports, and the sizes of their data.
public struct PublicKeyAttributes: Hashable, Sendable {
    /// The operations that a key can be used for.
    public struct Operations: OptionSet, Hashable, Sendable {
        /// The flags as the kernel returns them.
        public let rawValue: UInt32

        /// Wraps flags that came from elsewhere.
        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// ``Key/encrypt(_:parameters:)``: `KEYCTL_SUPPORTS_ENCRYPT`.
        public static let encrypt = Operations(rawValue: UInt32(KEYCTL_SUPPORTS_ENCRYPT))
        /// ``Key/decrypt(_:parameters:)``: `KEYCTL_SUPPORTS_DECRYPT`.
        public static let decrypt = Operations(rawValue: UInt32(KEYCTL_SUPPORTS_DECRYPT))
        /// ``Key/sign(digest:parameters:)``: `KEYCTL_SUPPORTS_SIGN`.
        public static let sign = Operations(rawValue: UInt32(KEYCTL_SUPPORTS_SIGN))
        /// ``Key/verify(signature:ofDigest:parameters:)``: `KEYCTL_SUPPORTS_VERIFY`.
        public static let verify = Operations(rawValue: UInt32(KEYCTL_SUPPORTS_VERIFY))
    }

    /// The operations that the key can be used for.
    public let operations: Operations
    /// The key's size in bits.
    public let keySize: Int
    /// The largest data to sign or encrypt, in bytes.
    public let largestData: Int
    /// The largest signature, in bytes.
    public let largestSignature: Int
    /// The largest encrypted blob, in bytes.
    public let largestEncrypted: Int
    /// The largest decrypted blob, in bytes.
    public let largestDecrypted: Int
}

extension Key {
    /// Asks the kernel what this asymmetric key can do with `parameters`, such as `enc=pkcs1 hash=sha256`.
    ///
    /// Needs *search* permission.
    ///
    /// - Throws: ``KeyringError`` with `unsupported`, `notFound`, `accessDenied` or `invalidArgument`.
    ///
    /// The corresponding C function is `keyctl_pkey_query(3)`.
    public func publicKeyAttributes(parameters: String = "") throws(KeyringError) -> PublicKeyAttributes {
        var answer = keyctl_pkey_query()
        try unsafe withKernelName(parameters, in: .publicKeyQuery) { info throws(KeyringError) in
            _ = try systemCall(.publicKeyQuery) { unsafe keyctl_pkey_query(serial.rawValue, info, &answer) }
        }
        return PublicKeyAttributes(
            operations: .init(rawValue: answer.supported_ops),
            keySize: Int(answer.key_size),
            largestData: Int(answer.max_data_size),
            largestSignature: Int(answer.max_sig_size),
            largestEncrypted: Int(answer.max_enc_size),
            largestDecrypted: Int(answer.max_dec_size)
        )
    }

    /// Encrypts bytes with the public key, in the kernel.
    ///
    /// Needs *search* permission.
    ///
    /// - Throws: ``KeyringError`` with `unsupported`, `notFound`, `accessDenied` or `invalidArgument`.
    ///
    /// The corresponding C function is `keyctl_pkey_encrypt(3)`.
    public func encrypt(_ data: RawSpan, parameters: String) throws(KeyringError) -> [UInt8] {
        let capacity = try publicKeyAttributes(parameters: parameters).largestEncrypted
        let result = try unsafe transform(.encrypt, data, parameters, capacity: capacity, with: keyctl_pkey_encrypt)
        return result.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }
    }

    /// Decrypts bytes with the private key, in the kernel.
    ///
    /// Needs *search* permission.
    ///
    /// - Throws: ``KeyringError`` with `unsupported`, `notFound`, `accessDenied`, `malformedPayload` or
    ///   `invalidArgument`.
    ///
    /// The corresponding C function is `keyctl_pkey_decrypt(3)`.
    public func decrypt(_ data: RawSpan, parameters: String) throws(KeyringError) -> SecretBytes {
        let capacity = try publicKeyAttributes(parameters: parameters).largestDecrypted
        return try unsafe transform(.decrypt, data, parameters, capacity: capacity, with: keyctl_pkey_decrypt)
    }

    /// Signs a digest with the private key, in the kernel.
    ///
    /// Needs *search* permission.
    ///
    /// - Throws: ``KeyringError`` with `unsupported`, `notFound`, `accessDenied` or `invalidArgument`.
    ///
    /// The corresponding C function is `keyctl_pkey_sign(3)`.
    public func sign(digest: RawSpan, parameters: String) throws(KeyringError) -> [UInt8] {
        let capacity = try publicKeyAttributes(parameters: parameters).largestSignature
        let result = try unsafe transform(.sign, digest, parameters, capacity: capacity, with: keyctl_pkey_sign)
        return result.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }
    }

    /// Checks a signature of a digest with the public key, in the kernel.
    ///
    /// The method returns normally only if the signature is right.
    ///
    /// Needs *search* permission.
    ///
    /// - Throws: ``KeyringError`` with `rejected` if the signature is wrong; `malformedPayload`, `unsupported`,
    ///   `notFound`, `accessDenied` or `invalidArgument`.
    ///
    /// The corresponding C function is `keyctl_pkey_verify(3)`.
    public func verify(signature: RawSpan, ofDigest digest: RawSpan, parameters: String) throws(KeyringError) {
        try unsafe withKernelName(parameters, in: .verify) { info throws(KeyringError) in
            _ = try systemCall(.verify) {
                unsafe digest.withUnsafeBytes { digest in
                    unsafe signature.withUnsafeBytes { signature in
                        unsafe keyctl_pkey_verify(
                            serial.rawValue, info, digest.baseAddress, digest.count, signature.baseAddress,
                            signature.count
                        )
                    }
                }
            }
        }
    }

    private typealias Transformation = (
        key_serial_t, UnsafePointer<CChar>?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int
    ) -> Int

    private func transform(
        _ operation: KeyringError.Operation,
        _ data: RawSpan,
        _ parameters: String,
        capacity: Int,
        with function: Transformation
    ) throws(KeyringError) -> SecretBytes {
        try unsafe SecretBytes(capacity: capacity) { output throws(KeyringError) in
            try unsafe withKernelName(parameters, in: operation) { info throws(KeyringError) in
                try systemCall(operation) {
                    unsafe data.withUnsafeBytes { input in
                        unsafe function(
                            serial.rawValue, info, input.baseAddress, input.count, output.baseAddress, output.count
                        )
                    }
                }
            }
        }
    }
}
