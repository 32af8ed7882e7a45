import CommandSupport
import ArgumentParser

struct DoctorCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell what this login gives us, what is wrong, and how to hint it.",
        discussion: """
            One line a check: ok, warning or problem; where there is something to do, a command to copy follows. Each \
            scope is tried: a secret is stored in a keyring of its own, read back and deleted, and nothing is left. The \
            kernel makes a persistent keyring for whoever asks for it, and starts its days anew; so that scope is tried \
            only where the keyring is there already or SKR_SCOPE is persistent.

            Exit code 0 if at least one scope keeps secrets, else 69.

            JSON: an object; the checks are in the order of the lines.
              {
                "checks": [{"id", "hint", "text", "verdict"}],
                "facts": {
                  "calls": {"blocked": [CALL], "seccompFilter"},
                  "features": [FEATURE],
                  "memory-lock": {"limit", "locked"},
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
            where there is none. What is not known is null, and so is "usable" of a scope that was not tried.
            """
    )

    static let examples = """
        skr doctor
        skr doctor --json | jq -r '.checks[] | select(.verdict != "ok") | .text'
        """

    @Flag(help: "An object, for programs.")
    var json = false

    @Option(help: ArgumentHelp("Whose items are counted, for instance an application's name.", valueName: "name"))
    var namespace: String?

    func action() throws(CommandError) -> any VerbAction {
        DoctorAction(place: try Place(namespace: namespace), asJSON: json)
    }
}
