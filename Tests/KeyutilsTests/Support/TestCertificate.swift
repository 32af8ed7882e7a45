import Foundation

/// A 1,024-bit RSA key pair that only these tests have ever used, and that protects nothing.
///
/// Made with `openssl genrsa 1024`, `openssl pkcs8 -topk8 -nocrypt -outform DER`, `openssl req -x509 -outform DER` and
/// `openssl pkeyutl -sign -pkeyopt digest:sha256`.
enum TestCertificate {
    /// The parameters of the tests' operations with this key: PKCS #1 padding, SHA-256.
    static let parameters = "enc=pkcs1 hash=sha256"

    /// The certificate, X.509 in DER.
    static let certificate = decode(
        """
        MIICGjCCAYOgAwIBAgIUY2CiRZWpV6h0oAi1ec4GDAXlHXkwDQYJKoZIhvcNAQELBQAwHjEcMBoGA1UEAwwTdGhyb3ctYXdheSB0
        ZXN0IGtleTAgFw0yNjExMjEwMjE0MDNaGA8yMTI2MTAyODAyMTQwM1owHjEcMBoGA1UEAwwTdGhyb3ctYXdheSB0ZXN0IGtleTCB
        nzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEA3KoPpo+PWItvtzC80utNqa5n/CgzC7I2/qHGZInABdga9A36bw5gcNK0472L2JR5
        LMe7k4+95zFMPRqAhvYj3PkNn8qAYVsPtTmfQsulymj9INPwQ4h3PHj5p5Kek9rID77sGDFICn+ZE+duode06235aH00Nsqu97EL
        +S3gIv8CAwEAAaNTMFEwHQYDVR0OBBYEFD2O2nriNeoiAFi7GCn2fb5/LdUzMB8GA1UdIwQYMBaAFD2O2nriNeoiAFi7GCn2fb5/
        LdUzMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEAOIajIn3aKC/HWTUohn1ZjWS9SKJnOZJn4V/ixBbtejws3WCe
        5KhcM1aZTI4c9l+7QeqN7kwq/EW/y3vP/Oy+Ua3QVOO199qESVZ7pasxxC00dT8HU6hSSz4jKzoPAW/ycmLlSSpcM0kfLP2PioU2
        7VZA3MFu6x+4An/1+idiE0U=
        """
    )

    /// The private key, PKCS #8 in DER.
    static let privateKey = decode(
        """
        MIICeQIBADANBgkqhkiG9w0BAQEFAASCAmMwggJfAgEAAoGBANyqD6aPj1iLb7cwvNLrTamuZ/woMwuyNv6hxmSJwAXYGvQN+m8O
        YHDStOO9i9iUeSzHu5OPvecxTD0agIb2I9z5DZ/KgGFbD7U5n0LLpcpo/SDT8EOIdzx4+aeSnpPayA++7BgxSAp/mRPnbqHXtOtt
        +Wh9NDbKrvexC/kt4CL/AgMBAAECgYEAwIGEQdTAQ4jxnylfscoh6MQEZ5FSZwPEwoOzpoYeBXswmHWRY01xiTvpHz1/QSTWSeC9
        ndAq5gS19CCovBUD1uaAZe17obkbbBVDiYXthqCStdNHE6adfIwyPFmha4YEwOsJpAuAMn5uVqjGamTJWJrfh0Ck6+v03v4hsIh4
        UMECQQDz78uqmDH85Vn8rkWSfS5HjDFFEj9UroXckDhYZE2FiiJ5N1VtxA1JWJ9LXFIRgsmc/V2YjYG+ZH0IUu1Y2SPxAkEA55Oj
        5t+wr3a/SBVOvn7j1XW+LfpPeLBHTylXGlt+OXGoCEDpmx4yQBJir3s+EtEmn8+20l0zePLk0UlWSxHl7wJBAMV7HCa/j7hs9Kzb
        aPdu4EiL9lc0rpCfuT8WgocMrLWvXrlDUqXKUfdPB6a61rXWa+HsPBmEdcTtFUvn1r5XDAECQQCvzM0of7hJ/APKXSKiSwH7Ep+F
        l/iszmXUGrYdNEfmo/nECkNNlube7RYt0YmWD2EbATzxBgAFWZ+Lofj4lGXRAkEAvVv/LlA4uSZI7vr3VqG41hrFfC6vqFvFNtCk
        N5WdCnFs8Ln759wPKQF2CpfnprDcuIyIOegp5Z+3gyQx22weeQ==
        """
    )

    /// The SHA-256 of `SessionKeyring test`.
    static let digest = decode("6wv+Ua3j2XGeuzZZIBW2BQ9bSCFTdpubbUZgzzoKk9U=")

    /// The signature of ``digest``.
    static let signature = decode(
        """
        NgqKygKFnKtVaWJZPzx56UCYowJsGTSS9Ki3HlHDVApzoWY3YbUP8wkAUhp0A0R5JkUx7WgemlHcQpGGDLfcUlwVUhmWx6SLCUO9
        wNJNuV1ScolaNqPCfUoyGJMVP3e4izJHThgNddxqpNh952v61X/sHwKOOT/hRd0mbmMxdD4=
        """
    )

    private static func decode(_ text: String) -> [UInt8] {
        [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }
}
