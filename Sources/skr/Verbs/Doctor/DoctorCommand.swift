import ArgumentParser
import CommandSupport
import Keyutils
import SessionKeyring

struct DoctorCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell what this login gives us, what is wrong, and what to do about it.",
        discussion: """
            One line a check: ok, warning or problem; where there is something to do, a command to copy follows. Each \
            scope is tried: a secret is stored in a keyring of its own, read back and deleted, and nothing is left. \
            The kernel makes a persistent keyring for whoever asks for it, and starts its days anew; so that scope is \
            tried only where the keyring is there already or SKR_SCOPE is persistent.

            Exit code 0 if at least one scope keeps secrets, else 69.

            JSON: an object; the checks are in the order of the lines.
              {
                "checks": [{"id", "hint", "text", "verdict"}],
                "facts": {
                  "calls": {"blocked": [CALL], "seccompFilter"},
                  "features": [FEATURE],
                  "memory-lock": {"errno", "limit", "locked"},
                  "quota": [{"bytes", "keys", "maximumBytes", "maximumKeys",
                             "uid"}],
                  "session", "user", "persistent":
                    {"gid", "items", "keys", "linksUserKeyring", "name",
                     "otherUsers": [UID], "permissions", "possessed",
                     "serial", "uid", "usable"},
                  "time-left": {"known"},
                  "user-namespace": {"isInitial", "userID"}
                },
                "usable": true
              }
            "hint" is null where there is nothing to do, "features" where the kernel does not say, and "limit" (bytes) \
            where there is none. "errno" is mlock2's error, null if the memory is locked. What is not known is null, and \
            so is "usable" of a scope that was not tried.
            """
    )

    static let examples = """
        skr doctor
        skr doctor --json | jq -r '.checks[]|select(.verdict!="ok").text'
        """

    @Flag(help: "An object, for programs.")
    var json = false

    @Option(help: ArgumentHelp("Whose items are counted, for instance an application's name.", valueName: "name"))
    var namespace: String?

    func run() throws {
        let report = try Self.examine(Place(namespace: namespace))
        if json {
            try Console.writeLine(report.json())
        } else {
            try Console.write(report.text(styled: .wanted))
        }
        guard !report.isUsable else { return }
        throw CommandError(
            exitCode: .unavailable, message: "no scope keeps secrets here", hint: "the lines marked 'problem' say why")
    }

    private static func examine(_ place: Place) throws -> DoctorReport {
        let refusals = KeyFacility.refusals()
        // This comes before the probes, because the kernel releases the quota of their keys only a moment later.
        let quota = Finding.quota(sessionOwner: (try? ResolvedScope(lookingAt: .session))?.description.userID)
        let scopes = try Place.Scope.allCases.map { try ScopeExamination(of: $0, place: place) }
        let findings =
            [.calls(refused: refusals), .features(), .userNamespace(of: place)] + scopes.map { $0.finding() }
            + [quota, .timeLeft(seenBy: scopes.compactMap(\.probe)), .memoryLock()]
        return DoctorReport(findings: findings, isUsable: scopes.contains { $0.probe != nil })
    }
}
