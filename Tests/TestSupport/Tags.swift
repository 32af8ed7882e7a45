package import Testing

extension Tag {
    /// Uses the real kernel keyring.
    @Tag package static var kernel: Self
    /// Becomes an ordinary user, with that user's small quota.
    @Tag package static var ordinaryUser: Self
    /// Proves the same for every user, such as what parsers, help and compilers do: not run again as an ordinary user.
    @Tag package static var anyUser: Self
    /// A long proof, which only `.ci/test --all` runs: searches, kills and races in great numbers.
    @Tag package static var long: Self
    /// A long proof that waits for the kernel to free keys, and hardly for a processor: runs beside the other ones.
    @Tag package static var paced: Self
}
