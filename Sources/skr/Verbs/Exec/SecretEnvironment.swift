import CommandSupport
import SecretText

/// The variables that `exec` and `env` set, and their values.
struct SecretEnvironment {
    let place: Place
    /// The variables from `--env`.
    var variables: [EnvironmentVariable] = []
    /// The variables from `--file`.
    var files: [EnvironmentVariable] = []
    /// The paths of `.env` files; later files win.
    var environmentFiles: [String] = []
    /// Whether all references in the inherited environment are resolved.
    var resolvesInherited = false

    /// Checks the options that depend on each other.
    func check() throws(CommandError) {
        for file in files where variables.contains(where: { $0.name == file.name }) {
            throw .usage("--env and --file both set \(file.name)", hint: "leave one of them out")
        }
    }

    /// Returns our own environment with the variables.
    func block() throws(CommandError) -> EnvironmentBlock {
        var environment = EnvironmentBlock()
        try forEachValue { variable, value throws(CommandError) in
            if case .file = variable.value {
                let path = try MemoryFile.make(value, of: variable.name)
                unsafe environment.set(variable.name, to: path.utf8Span.span.bytes)
            } else {
                value.bytes.withBytes { environment.set(variable.name, to: $0) }
            }
        }
        return environment
    }

    /// Calls `body` with each variable once, and with its value.
    func forEachValue(
        _ body: (EnvironmentVariable, SecretBox) throws(CommandError) -> Void
    ) throws(CommandError) {
        let assigned = try assignedVariables()
        for (variable, secret) in zip(assigned, try secrets(of: assigned)) {
            if case .plain(let value) = variable.value {
                try body(variable, unsafe SecretBox(copying: value.span.bytes))
            } else if let secret {
                try body(variable, secret)
            }
        }
    }

    /// Returns each variable once, with its reference.
    ///
    /// A later variable wins over an earlier one with the same name, and the command line wins over files.
    private func assignedVariables() throws(CommandError) -> [EnvironmentVariable] {
        var all: [EnvironmentVariable] = []
        for path in environmentFiles { all += try EnvironmentFile.read(path).variables }
        all += variables
        all += files
        var last = Self.last(of: all)
        for position in last.indices where last[position].value == .inherited {
            let name = last[position].name
            last[position] = EnvironmentVariable(
                name: name, value: .secret(try InheritedReferences.reference(in: name)))
        }
        if resolvesInherited { try InheritedReferences.add(to: &last) }
        return last
    }

    /// Returns the last variable of each name, in the order of the last ones.
    private static func last(of all: [EnvironmentVariable]) -> [EnvironmentVariable] {
        // Not a set of names, whose type Swift's runtime would build at each start.
        let order = all.indices.sorted {
            all[$0].name != all[$1].name ? all[$0].name < all[$1].name : $0 < $1
        }
        let last = order.indices.filter { position in
            position + 1 == order.count || all[order[position]].name != all[order[position + 1]].name
        }
        return last.map { order[$0] }.sorted().map { all[$0] }
    }

    /// Returns each variable's secret, or `nil` for a variable without one.
    ///
    /// - Throws: one ``CommandError`` for all secrets that can't be read or used.
    private func secrets(of variables: [EnvironmentVariable]) throws(CommandError) -> [SecretBox?] {
        try SecretResolver.secrets(of: variables.map(\.reference), in: place) { position, secret in
            guard case .secret = variables[position].value, secret.hasNUL else { return nil }
            return (
                "the secret has a NUL byte, which a variable can't hold",
                hint: "pass it as a file: skr exec --file \(variables[position].name)=skr://..."
            )
        }
    }
}
