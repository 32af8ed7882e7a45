import CommandSupport
import Glibc
import SecretText

/// Becomes a command that has secrets in its environment.
struct ExecAction: VerbAction {
    let place: Place
    /// From --env.
    var variables: [EnvironmentVariable] = []
    /// From --file.
    var files: [EnvironmentVariable] = []
    /// `.env` files; later ones win.
    var environmentFiles: [String] = []
    /// Whether all references that the environment holds are resolved.
    var resolvesInherited = false
    let command: CommandLineWords

    /// Checks what concerns more than one option.
    func check() throws(CommandError) {
        try command.requireCommand("skr exec --env TOKEN=skr://api -- CMD")
        for file in files where variables.contains(where: { $0.name == file.name }) {
            throw .usage("--env and --file both set \(file.name)", hint: "leave one of them out")
        }
    }

    static var launchesAfterLookup: Bool { true }

    func run() throws(CommandError) {
        let assigned = try assignedVariables()
        let secrets = try secrets(of: assigned)
        var environment = EnvironmentBlock()
        for (variable, secret) in zip(assigned, secrets) {
            switch (variable.value, secret) {
            case (.plain(let value), _): unsafe environment.set(variable.name, to: value.span.bytes)
            case (.file, let secret?):
                let path = try MemoryFile.make(secret, of: variable.name)
                unsafe environment.set(variable.name, to: path.utf8Span.span.bytes)
            case (_, let secret?): secret.bytes.withBytes { environment.set(variable.name, to: $0) }
            case (_, nil): break
            }
        }
        try Launch.become(command, environment: environment)
    }

    /// Each variable once, with its reference: a later one wins, and the command line wins over files.
    private func assignedVariables() throws(CommandError) -> [EnvironmentVariable] {
        var all: [EnvironmentVariable] = []
        for path in environmentFiles { all += try EnvironmentFile.read(path).variables }
        all += variables
        all += files
        // Not a set of names: its type would be made at run time, which takes longer than everything else here.
        var last: [EnvironmentVariable] = []
        for variable in all.reversed() where !last.contains(where: { $0.name == variable.name }) {
            last.append(variable)
        }
        for position in last.indices where last[position].value == .inherited {
            let name = last[position].name
            last[position] = EnvironmentVariable(
                name: name, value: .secret(try InheritedReferences.reference(in: name)))
        }
        if resolvesInherited { try InheritedReferences.add(to: &last) }
        return last.reversed()
    }

    /// The secret of each variable that has one; throws unless all can be read.
    private func secrets(of variables: [EnvironmentVariable]) throws(CommandError) -> [SecretBox?] {
        var resolver = SecretResolver(place: place)
        var secrets: [SecretBox?] = []
        for variable in variables {
            switch variable.value {
            case .plain, .inherited: secrets.append(nil)
            case .file(let reference): secrets.append(try resolver.read(reference))
            case .secret(let reference):
                let secret = try resolver.read(reference)
                if let secret, secret.hasNUL {
                    resolver.reject(
                        reference, because: "the secret has a NUL byte, which no environment can hold",
                        hint: "hand it over as a file: --file \(variable.name)=skr://..."
                    )
                }
                secrets.append(secret)
            }
        }
        try resolver.check()
        return secrets
    }
}

extension ExecAction {
    /// `nil` for a call that is not plain.
    init?(plain words: CommandLineWords) {
        guard var call = PlainCall(launching: words) else { return nil }
        while let option = call.nextOption() {
            if option == "--inherited", !resolvesInherited {
                resolvesInherited = true
                continue
            }
            guard let value = call.value() else { return nil }
            switch option {
            case "--env-file": environmentFiles.append(value)
            case "--env", "--file":
                guard let variable = try? EnvironmentVariable(value, isFile: option == "--file") else { return nil }
                if option == "--env" { variables.append(variable) } else { files.append(variable) }
            default: return nil
            }
        }
        guard let place = call.place() else { return nil }
        self.place = place
        command = call.command
        guard (try? check()) != nil else { return nil }
    }
}
