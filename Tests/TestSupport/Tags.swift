package import Testing

extension Tag {
    /// Uses the real kernel keyring.
    @Tag package static var kernel: Self
    /// Needs root, for example to become several users.
    ///
    /// The other tests of the store and of the command run as ordinary users.
    @Tag package static var root: Self
    /// Has the same result for every user, so it only runs as root.
    ///
    /// Examples are tests of parsers, help and compilers.
    @Tag package static var anyUser: Self
    /// Uses several threads, so it also runs under the thread sanitizer.
    @Tag package static var threads: Self
    /// A long test with many searches, kills or races, which only `.ci/test --all` runs.
    @Tag package static var long: Self
    /// A long test that mostly waits for the kernel to free keys, and so can run in parallel with the other long tests.
    @Tag package static var paced: Self
}
