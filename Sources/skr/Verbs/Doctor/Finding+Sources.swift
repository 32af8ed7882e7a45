import CommandSupport
import Glibc

extension Finding {
    /// Reports whether the sources file can be used, and whether its commands exist.
    static func sources() -> Finding {
        func facts(_ count: Int?, _ problems: [String]) -> JSONValue {
            .object(["count": JSONValue(count), "problems": .array(problems.map(JSONValue.string))])
        }
        let lines: [Result<Source, CommandError>]
        do throws(CommandError) {
            guard let file = try SourcesFile.read() else {
                return .ok("sources", "none: the sources file does not exist", facts(0, []))
            }
            lines = file.all()
        } catch {
            let hint = error.hint ?? "skr source"
            return .problem(
                "sources", error.message,
                hint: error.exitCode == .noPermission
                    ? .correctSources(command: hint, remark: nil)
                    : .correctSources(command: "skr source", remark: hint),
                facts(nil, [error.message]))
        }
        // A path is relative to the home folder, where commands run.
        func isThere(_ source: Source) -> Bool {
            let name = source.command[0]
            if source.oauth.isGiven { return (try? SiblingProgram.path(of: name)) != nil }
            guard name.contains("/") else { return Executable.isThere(name) }
            let home = (try? Variable.value("HOME")) ?? ""
            return unsafe access(name.hasPrefix("/") ? name : "\(home)/\(name)", X_OK) == 0
        }
        var problems: [String] = []
        for line in lines {
            switch line {
            case .success(let source) where !isThere(source):
                problems.append("line \(source.line): no such command: \(Display.quoted(source.command[0]))")
            case .success: break
            case .failure(let error): problems.append(error.message)
            }
        }
        guard let first = problems.first else {
            return .ok("sources", "all lines can be used: \(lines.count)", facts(lines.count, []))
        }
        let others = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
        return .warning(
            "sources", first + others, hint: .correctSources(command: "skr source", remark: "correct the line"),
            facts(lines.count, problems))
    }
}
