import CommandSupport
import Glibc
import Keyutils
import SecretText

/// A `.env` file.
struct DotenvFinder: SecretFinder {
    let path: String
    let service: String?

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        // The last line of a name wins, as in a shell.
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

/// The password store of `pass`, which alone can decrypt it.
struct PassFinder: SecretFinder {
    private static let deepest = 32

    /// What a folder is known by, also where links lead to it.
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

    /// The names of the entries; what begins with a dot, such as `.git`, is none.
    ///
    /// - Parameter visited: the folders that were looked into, which no link leads into again.
    private static func names(
        in store: String, below prefix: String, depth: Int, _ visited: inout Set<FolderID>, _ found: inout FoundSecrets
    ) -> [String] {
        var folder = stat()
        guard depth < deepest, unsafe stat("\(store)/\(prefix)", &folder) == 0,
            visited.insert(FolderID(device: UInt(folder.st_dev), inode: UInt(folder.st_ino))).inserted
        else { return [] }
        var names: [String] = []
        let all = FolderNames.all(in: "\(store)/\(prefix)") { name, isFolder in
            // Neither pass nor we could be told of it by a word of text.
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

    /// The first line; `nil` where it can't be decrypted, of which `pass` says why.
    private static func show(_ name: String) throws(CommandError) -> SecretBox? {
        let run = try ToolRun(["pass", "show", "--", name])
        guard !run.isMissing else {
            throw CommandError(
                exitCode: .noCommand, message: "there is no pass in PATH", hint: "install it, and call skr again")
        }
        guard run.exitCode == 0 else { return nil }
        return run.output.withBytes { text in
            let line = text.extracting(0..<(text.offset(of: UInt8(ascii: "\n")) ?? text.byteCount))
            return line.isEmpty ? nil : SecretBox(copying: line)
        }
    }
}
