import CommandSupport
import SessionKeyring

extension Finding {
    /// Reports whether a Secret Service answers in this login, whose it is, and which programs find it.
    static func secretService() -> Finding {
        guard let status = SecretServiceProgram.status() else {
            return .ok("secret-service", "unknown: the program skr-secrets is not installed", .null)
        }
        let scope = status.isOurs ? status.value(of: "scope") : nil
        let facts = JSONValue.object([
            "isOurs": .bool(status.isOurs), "scope": JSONValue(scope),
            "address": JSONValue(status.value(of: "address")),
        ])
        guard let scope else {
            let text = status.lines.first ?? "no Secret Service answers here"
            return .ok("secret-service", "\(text); \(howToStart)", facts)
        }
        // Without the variable, only some libraries look for the user's bus.
        let clients =
            Variable.isSet(SecretServiceProgram.variable)
            ? "all programs that look for a Secret Service use it"
            : "programs on libsecret and keyring-rs use it, but gh and Python's keyring need DBUS_SESSION_BUS_ADDRESS"
        return .ok(
            "secret-service",
            "skr-secrets keeps secrets in the scope \(scope): \(clients); your other logins can reach it too, as they "
                + "can reach an ssh-agent", facts)
    }

    /// How to start a Secret Service that stores in the present session.
    private static var howToStart: String {
        guard let session = try? ResolvedScope(lookingAt: .session), session.isNamedSession else {
            return "'man skr-secrets' shows how to start one"
        }
        let option = Display.option("--name", session.description.name)
        return "'skr session\(option) --secrets' starts one in this session"
    }
}
