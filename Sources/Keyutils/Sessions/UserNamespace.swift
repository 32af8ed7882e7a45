/// The process's user namespace, as far as it matters to keys.
package enum UserNamespace {
    /// Returns whether the process's user ids are the machine's: `/proc/self/uid_map` maps each id to itself.
    ///
    /// In a namespace with another map, the process has its own user keyring and persistent keyring, separate from the
    /// ones that the same user has outside of the namespace.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` (`ENOENT`) or `accessDenied` if `/proc` does not offer the file.
    ///
    /// The format is described in `user_namespaces(7)`.
    package static func isIdentity() throws(KeyringError) -> Bool {
        isIdentity(map: try readProcFile("/proc/self/uid_map"))
    }

    package static func isIdentity(map: String) -> Bool {
        let lines = map.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        return lines == ["0 0 4294967295"]
    }
}
