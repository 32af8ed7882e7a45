import CommandSupport
import Glibc
import Keyutils
import SecretText

/// Finds the secrets in a `.env` file.
struct DotenvFinder: SecretFinder {
    let path: String
    let service: String?

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        // The last line with the same name wins, as in a shell.
        var values: [(name: String, value: [UInt8])] = []
        var names: Set<[UInt8]> = []
        for variable in try EnvironmentFile.read(path).variables.reversed() {
            guard case .plain(let value) = variable.value else {
                found.passOver(variable.name, because: "it is a reference")
                continue
            }
            guard !value.isEmpty else {
                found.passOver(variable.name, because: "its value is empty")
                continue
            }
            if names.insert(Array(variable.name.utf8)).inserted { values.append((variable.name, value)) }
        }
        for (name, value) in values.reversed() {
            found.append(
                FoundSecret(
                    service: service ?? name, account: service == nil ? "" : name, size: value.count
                ) { () throws(CommandError) in unsafe SecretBox(copying: value.span.bytes) })
        }
        return found
    }
}

/// Finds the secrets in the password store of `pass`, which only `pass` can decrypt.
struct PassFinder: SecretFinder {
    private static let deepest = 32

    /// The identity of a folder, which is the same through every link to it.
    private struct FolderID: Hashable {
        let device: UInt
        let inode: UInt
    }

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        let user = try SetupUser()
        let store = user.variable("PASSWORD_STORE_DIR") ?? user.path(".password-store")
        var visited: Set<FolderID> = []
        for name in Self.names(in: store, below: "", depth: 0, &visited, &found) {
            found.append(
                FoundSecret(service: name, account: "", size: nil) { () throws(CommandError) in
                    try Self.show(name)
                })
        }
        return found
    }

    /// Returns the names of the entries; a name that begins with a dot, such as `.git`, is not an entry.
    ///
    /// - Parameter visited: the folders that were searched already, so that a link can't lead into them again.
    private static func names(
        in store: String, below prefix: String, depth: Int, _ visited: inout Set<FolderID>, _ found: inout FoundSecrets
    ) -> [String] {
        var folder = stat()
        guard depth < deepest, unsafe stat("\(store)/\(prefix)", &folder) == 0,
            visited.insert(FolderID(device: UInt(folder.st_dev), inode: UInt(folder.st_ino))).inserted
        else { return [] }
        var names: [String] = []
        let all = FolderNames.all(in: "\(store)/\(prefix)") { name, isFolder in
            // Such a name can't be a word of text, so neither `pass` nor skr could be given it.
            guard isFolder || name.hasSuffix(".gpg"), name.utf8.first != UInt8(ascii: ".") else { return }
            found.passOver(prefix + name, because: Self.notText)
        }
        for name in all.sorted() where name.utf8.first != UInt8(ascii: ".") {
            let path = prefix + name
            var status = stat()
            guard unsafe stat("\(store)/\(path)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                names += Self.names(in: store, below: "\(path)/", depth: depth + 1, &visited, &found)
            } else if name.hasSuffix(".gpg"), name.utf8.count > 4 {
                names.append(String(path.dropLast(4)))
            }
        }
        return names
    }

    /// Returns the first line; `nil` if it is empty or if `pass` can't decrypt it and has reported why.
    private static func show(_ name: String) throws(CommandError) -> SecretBox? {
        let run = try ToolRun(["pass", "show", "--", name])
        guard !run.isMissing else {
            throw CommandError(
                exitCode: .noCommand, message: "the program 'pass' is not in PATH", hint: "install it and try again")
        }
        guard run.exitCode == 0 else { return nil }
        return run.output.withBytes { text in
            let line = text.extracting(0..<(text.offset(of: UInt8(ascii: "\n")) ?? text.byteCount))
            return line.isEmpty ? nil : SecretBox(copying: line)
        }
    }
}
