import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils

/// A `.env` file.
struct DotenvFinder: SecretFinder {
    let path: String
    let service: String?

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        // The last line of a name wins, as in a shell.
        var values: [(name: String, value: [UInt8])] = []
        for variable in try EnvironmentFile.read(path).variables {
            guard case .plain(let value) = variable.value, !value.isEmpty else {
                found.passedOver += 1
                continue
            }
            values.removeAll { $0.name == variable.name }
            values.append((variable.name, value))
        }
        for (name, value) in values {
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

    func find() throws -> FoundSecrets {
        var found = FoundSecrets()
        let user = try SetupUser()
        let store = user.variable("PASSWORD_STORE_DIR") ?? user.path(".password-store")
        for name in Self.names(in: store, below: "", depth: 0) {
            found.append(
                FoundSecret(service: name, account: "", size: nil) { () throws(CommandError) in
                    try Self.show(name)
                })
        }
        return found
    }

    /// The names of the entries; what begins with a dot, such as `.git`, is none.
    private static func names(in store: String, below prefix: String, depth: Int) -> [String] {
        guard depth < deepest else { return [] }
        return FolderNames.all(in: "\(store)/\(prefix)").sorted().flatMap { name -> [String] in
            guard name.utf8.first != UInt8(ascii: ".") else { return [] }
            let path = prefix + name
            var found = stat()
            guard unsafe stat("\(store)/\(path)", &found) == 0 else { return [] }
            if found.st_mode & S_IFMT == S_IFDIR { return names(in: store, below: "\(path)/", depth: depth + 1) }
            return name.hasSuffix(".gpg") && name.utf8.count > 4 ? [String(path.dropLast(4))] : []
        }
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
