/// The user namespace of this process, as far as it matters to keys.
package enum UserNamespace {
    /// Whether the user ids of this process are those of the machine: the map of `/proc/self/uid_map` is the identity.
    ///
    /// In a namespace with another map the process has a user keyring and a persistent keyring of its own, apart from
    /// those that the same user has outside.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` (`ENOENT`) or `accessDenied` where `/proc` does not offer it.
    ///
    /// The format is described in `user_namespaces(7)`.
    package static func isIdentity() throws(KeyringError) -> Bool {
        isIdentity(map: try readProcFile("/proc/self/uid_map"))
    }

    package static func isIdentity(map: String) -> Bool {
        let lines = map.split(separator: "\n").map { $0.split(separator: " ") }
        return lines == [["0", "0", "4294967295"]]
    }
}
