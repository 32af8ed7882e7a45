import CommandSupport
import Keyutils
import SessionKeyring

struct DoctorVerb: Verb {
    static let name = "doctor"
    static let summary = "Check what this login provides, and show each problem with its fix."
    static let details = """
        For each check, doctor prints ok, warning or problem, and a hint with a command to copy if you can fix \
        it. The last line has the verdict. doctor tries each scope: it stores a secret in a temporary keyring, \
        reads it back, and deletes both.

        Asking the kernel for the persistent keyring creates it or restarts its timeout. So doctor tries \
        that scope only if the keyring already exists or SKR_SCOPE is persistent.

        Exit code 0 if at least one scope keeps secrets, otherwise 69.

        JSON: an object; the checks are in the order of the text.
          {
            "checks": [{"id", "hint", "text", "verdict"}],
            "facts": {
              "calls": {"blocked": [CALL], "seccompFilter"},
              "features": {"persistentKeyrings"},
              "memory-lock": {"errno", "limit", "locked"},
              "quota": [{"bytes", "keys", "maximumBytes", "maximumKeys",
                         "uid"}],
              "secret-service": {"address", "isOurs", "scope"},
              "session", "user", "persistent":
                {"gid", "items", "keys", "linksUserKeyring", "name",
                 "otherUsers": [UID], "permissions", "possessed",
                 "serial", "uid", "usable"},
              "sources": {"count", "problems": [TEXT]},
              "time-left": {"known"},
              "user-namespace": {"isInitial", "userID"}
            },
            "usable": true
          }
        An unknown value is null, such as "usable" of a scope that was not tried, or "features" of a kernel that \
        doesn't report them. "hint" is null if there is nothing to do. "limit" is in bytes, or null for no \
        limit. "errno" is mlock2's error, or null if the memory is locked. "isOurs" is true if skr-secrets answers; \
        if skr-secrets is not installed, "secret-service" is null.
        """

    static let examples = """
        skr doctor
        skr doctor --json | jq -r '.checks[]|select(.verdict!="ok").text'
        """

    private let isJSON: Bool
    private let namespace: String?

    init(_ words: inout CommandWords) {
        isJSON = words.flag("--json", "Print an object, for programs.")
        namespace = words.option("--namespace", "-n", value: "NAME", "The namespace whose items are counted.")
    }

    func run() throws {
        let report = try Self.examine(Place(namespace: namespace))
        if isJSON {
            try Console.writeLine(report.json())
        } else {
            try Console.write(report.text(styled: .wanted, width: TerminalWidth.ofHelp))
        }
        guard report.place == nil else { return }
        throw CommandError(
            exitCode: .unavailable, message: "no scope keeps secrets here",
            hint: "follow the hints under the lines marked 'problem'")
    }

    private static func examine(_ place: Place) throws -> DoctorReport {
        let refusals = KeyFacility.refusals()
        // This comes before the probes, because the kernel releases the quota of their keys only a moment later.
        let quota = Finding.quota(sessionOwner: (try? ResolvedScope(lookingAt: .session))?.description.userID)
        let scopes = try Place.Scope.allCases.map { try ScopeExamination(of: $0, place: place) }
        let findings =
            [.calls(refused: refusals), .features(), .userNamespace(of: place)] + scopes.map { $0.finding() }
            + [quota, .timeLeft(seenBy: scopes.compactMap(\.probe)), .memoryLock(), .sources(), .secretService()]
        let usable = scopes.filter { $0.probe != nil }
        let usual = usable.first { $0.name == place.scope && $0.isUsable }
        let chosen = usual ?? usable.first { $0.name != place.scope } ?? usable.first
        return DoctorReport(findings: findings, place: chosen.map { ($0.name, usual != nil) })
    }
}
