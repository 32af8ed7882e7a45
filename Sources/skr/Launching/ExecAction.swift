import CommandSupport
import Glibc

/// Becomes a command that has secrets in its environment.
struct ExecAction {
    let request: ExecRequest

    func run() throws(CommandError) -> Never {
        let variables = try variables()
        let secrets = try secrets(of: variables)
        var environment = EnvironmentBlock()
        for (variable, secret) in zip(variables, secrets) {
            switch (variable.value, secret) {
            case (.plain(let value), _): unsafe environment.set(variable.name, to: value.span.bytes)
            case (.file, let secret?):
                let path = try MemoryFile.make(secret, of: variable.name)
                unsafe environment.set(variable.name, to: path.utf8Span.span.bytes)
            case (_, let secret?): secret.bytes.withBytes { environment.set(variable.name, to: $0) }
            case (_, nil): break
            }
        }
        try Launch.become(request.command, environment: environment)
    }

    /// Each variable once, as the last word on it says; the command line has the last one.
    private func variables() throws(CommandError) -> [EnvironmentVariable] {
        var all: [EnvironmentVariable] = []
        for path in request.environmentFiles { all += try EnvironmentFile.read(path).variables }
        all += request.variables.map { EnvironmentVariable(name: $0.name, value: .secret($0.reference)) }
        all += request.files.map { EnvironmentVariable(name: $0.name, value: .file($0.reference)) }
        // No set of names, whose type is made at run time: that takes longer than all else that is done here.
        var last: [EnvironmentVariable] = []
        for variable in all.reversed() where !last.contains(where: { $0.name == variable.name }) {
            last.append(variable)
        }
        return last.reversed()
    }

    /// The secret of each variable that has one; throws unless all can be had.
    private func secrets(of variables: [EnvironmentVariable]) throws(CommandError) -> [HeldSecret?] {
        var resolver = SecretResolver(place: request.place)
        var secrets: [HeldSecret?] = []
        for variable in variables {
            switch variable.value {
            case .plain: secrets.append(nil)
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
