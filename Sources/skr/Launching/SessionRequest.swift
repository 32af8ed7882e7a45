import CommandSupport

/// What `skr session` is asked for.
package struct SessionRequest: Equatable {
    let name: String?
    let linksUser: Bool
    let command: CommandLineWords

    init(name: String?, linksUser: Bool, command: CommandLineWords) throws(CommandError) {
        if let name { try Self.check(name) }
        self.name = name
        self.linksUser = linksUser
        self.command = command
    }

    private static func check(_ name: String) throws(CommandError) {
        let limit = 255
        guard !name.isEmpty, name.utf8.count <= limit else {
            throw .usage("a session's name has 1 to \(limit) bytes", hint: "choose another name")
        }
        // The kernel's own keyrings, and the store's, which must not become a session by mistake.
        for prefix in [".", "_", "skr:", "skr-leases", "skr-making:"] where name.hasPrefix(prefix) {
            throw .usage("names that begin with '\(prefix)' are taken", hint: "choose another name")
        }
        // It would stand in /proc/keys for everybody to stumble over.
        guard Display.plain(name) == name, !name.utf8.contains(UInt8(ascii: " ")) else {
            throw .usage("a session's name has no white space and no control characters", hint: "choose another name")
        }
    }
}
