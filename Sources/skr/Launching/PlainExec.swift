/// Recognises plain calls of `skr exec`, as ``PlainCall`` does those of the other hot verbs.
package enum PlainExec {
    package static func parse(_ arguments: CommandLineWords) -> Invocation? {
        guard arguments[0] == "exec", let terminator = arguments.terminator else { return nil }
        var variables: [Assignment] = []
        var files: [Assignment] = []
        var environmentFiles: [String] = []
        var scope: Place.Scope?
        var namespace: String?

        var position = 1
        while position < terminator {
            // Options alone, each with a good value behind it.
            guard position + 1 < terminator, let option = arguments[position], let value = arguments[position + 1],
                value.utf8.first != UInt8(ascii: "-")
            else { return nil }
            position += 2
            switch option {
            case "--env":
                guard let assignment = try? Assignment(value, option: option) else { return nil }
                variables.append(assignment)
            case "--file":
                guard let assignment = try? Assignment(value, option: option) else { return nil }
                files.append(assignment)
            case "--env-file": environmentFiles.append(value)
            case "--scope" where scope == nil:
                guard let known = Place.Scope(rawValue: value) else { return nil }
                scope = known
            case "--namespace" where namespace == nil: namespace = value
            default: return nil
            }
        }

        guard let place = try? Place(scope: scope, namespace: namespace) else { return nil }
        let request = try? ExecRequest(
            place: place, variables: variables, files: files, environmentFiles: environmentFiles,
            command: arguments.suffix(from: terminator + 1)
        )
        return request.map(Invocation.exec)
    }
}
