import CKeyutils

/// Diffie-Hellman and plain modular exponentiation, computed in the kernel from keys that it holds.
///
/// Each key is of type `user` and holds a big-endian number. All three keys need *read* permission.
public enum DiffieHellman {
    /// Computes `base` to the power of `privateKey`, modulo `prime`: a public key, or the shared secret.
    ///
    /// - Throws: ``KeyringError`` with `unsupported` if the kernel has no such facility, `notFound`, `accessDenied`, or
    ///   `invalidArgument` for numbers that it does not accept.
    ///
    /// The corresponding C function is `keyctl_dh_compute(3)`.
    public static func compute(privateKey: Key, prime: Key, base: Key) throws(KeyringError) -> SecretBytes {
        // Without a buffer, the kernel returns the prime's length.
        let length = try systemCall(.diffieHellman) {
            keyctl_dh_compute(privateKey.serial.rawValue, prime.serial.rawValue, base.serial.rawValue, nil, 0)
        }
        return try unsafe SecretBytes.reading(.diffieHellman, expecting: length) { buffer in
            unsafe keyctl_dh_compute(
                privateKey.serial.rawValue, prime.serial.rawValue, base.serial.rawValue, buffer.baseAddress,
                buffer.count
            )
        }
    }

    /// Computes the shared secret and derives `count` bytes from it with the counter-mode KDF of SP 800-56A.
    ///
    /// - Parameters:
    ///   - count: how many bytes to derive, at most 1 MiB.
    ///   - privateKey: the key with our private exponent.
    ///   - prime: the key with the group's prime.
    ///   - base: the key with the generator, or with the other side's public key.
    ///   - hash: the kernel's name of the hash, such as `sha256`.
    ///   - otherInfo: data that both sides mix in.
    /// - Throws: ``KeyringError`` as ``compute(privateKey:prime:base:)``, and with `unsupported` or `notLinked`
    ///   (`ENOENT`) for an unknown hash.
    ///
    /// The corresponding C function is `keyctl_dh_compute_kdf(3)`.
    public static func derive(
        count: Int,
        privateKey: Key,
        prime: Key,
        base: Key,
        hash: String,
        otherInfo: RawSpan
    ) throws(KeyringError) -> SecretBytes {
        try unsafe SecretBytes(capacity: count) { output throws(KeyringError) in
            try unsafe withKernelName(hash, in: .diffieHellman) { hash throws(KeyringError) in
                try systemCall(.diffieHellman) {
                    unsafe otherInfo.withUnsafeBytes { info in
                        // The C function declares both pointers as mutable, but changes neither buffer.
                        unsafe keyctl_dh_compute_kdf(
                            privateKey.serial.rawValue, prime.serial.rawValue, base.serial.rawValue,
                            UnsafeMutablePointer(mutating: hash),
                            UnsafeMutableRawPointer(mutating: info.baseAddress)?.assumingMemoryBound(to: CChar.self),
                            info.count,
                            output.baseAddress?.assumingMemoryBound(to: CChar.self), output.count
                        )
                    }
                }
            }
        }
    }
}
