import CommandSupport
import Glibc

/// The program `skr-secrets`: the one next to this program, unless all users can write there, or else the one in PATH.
enum SecretServiceProgram {
    private static let name = "skr-secrets"
    /// The address of the bus on which programs look for a Secret Service.
    static let variable = "DBUS_SESSION_BUS_ADDRESS"

    /// Whether the address is that of a private service of `skr-secrets`.
    static var isAddressOurs: Bool {
        unsafe getenv(variable).map { unsafe String(cString: $0).contains("/\(name)-") } ?? false
    }

    /// Returns the path, or the name if PATH has it.
    private static func path() throws(CommandError) -> String {
        do throws(CommandError) {
            return try SiblingProgram.path(of: name)
        } catch {
            guard Executable.isThere(name) else { throw error }
            return name
        }
    }

    /// Returns the words that run a command below `skr-secrets`, with a service of the session.
    static func launching(_ command: CommandLineWords) throws(CommandError) -> CommandLineWords {
        command.prepending("--").prepending("session").prepending("--scope").prepending(try path())
    }

    /// The answer of `skr-secrets --status`.
    struct Status {
        /// Whether the Secret Service of this login is a `skr-secrets`.
        let isOurs: Bool
        /// The lines that it has printed.
        let lines: [String]

        /// Returns the rest of the line that begins with this word.
        func value(of word: String) -> String? {
            lines.first { $0.hasPrefix("\(word): ") }.map { String($0.dropFirst(word.utf8.count + 2)) }
        }
    }

    /// Asks `skr-secrets` about the Secret Service of this login; `nil` if that program is missing or fails.
    static func status() -> Status? {
        guard let run = try? ToolRun([path(), "--status"]), [0, 1].contains(run.exitCode) else { return nil }
        return Status(isOurs: run.exitCode == 0, lines: run.lines)
    }
}
