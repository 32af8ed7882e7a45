import Glibc
import Keyutils

/// Measures how costs grow, in a session keyring of its own that goes away with this process.
///
/// `scale [PART...]` prints a line a figure, with tabs between: part, what, size, value, unit, floor, ratio.
@main
struct Scale {
    static let parts: [(name: String, measure: @Sendable (Report) throws -> Void)] = [
        ("items", ItemsPart.measure), ("namespaces", NamespacesPart.measure),
        ("sessions", { try CrowdPart(firstUser: nil).measure($0) }),
        ("users", { try CrowdPart(firstUser: 200_000).measure($0) }),
        ("neighbours", NeighboursPart.measure), ("expiry", { try ExpiryPart().measure($0) }),
        ("collection", { try ExpiryPart().measureCollection($0) }),
    ]

    static func main() {
        let wanted = Array(CommandLine.arguments.dropFirst())
        let names = parts.map(\.name)
        guard wanted.allSatisfy(names.contains) else { fail(64, "usage: scale [\(names.joined(separator: "|"))]...") }
        do {
            try SessionMembership.joinAnonymous()
            for part in parts where wanted.isEmpty || wanted.contains(part.name) {
                try part.measure(Report(part: part.name))
            }
        } catch {
            fail(70, "\(error)")
        }
    }

    private static func fail(_ code: CInt, _ message: String) -> Never {
        Output.complaint(message)
        exit(code)
    }
}

/// Something did not do what it is measured for.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A function of CFloor has failed.
    static func ofCall(_ name: String) -> Failure {
        Failure("\(name): \(String(cString: strerror(errno)))")
    }
}
