import Foundation
import Testing

private let asOther = "setpriv --reuid $OTHER --regid $OTHER --clear-groups"
private let mayUnshare =
    (try? CommandRunner().shell("\(asOther) unshare -Ur true", environment: ["OTHER": "1000000"]))?.exitCode == 0

@Suite("skr list --all in a user namespace")
struct UserNamespaceListTests {
    @Test(
        "the persistent scope is left out with a message only if a persistent keyring exists",
        .enabled(if: mayUnshare, "becomes another user in a new user namespace"))
    func persistent() throws {
        // A random user ID, which has no persistent keyring yet.
        let user = Int.random(in: 1_000_000...2_000_000_000)
        let outcome = try CommandRunner().shell(
            #"""
            copy=$(mktemp -d); chmod 755 $copy; trap 'rm -rf $copy' EXIT
            cp $(command -v skr) $copy/skr; export PATH=$copy:$PATH
            \#(asOther) keyctl session - unshare -Ur bash -c '
                printf 1 | skr set a; skr list --all 2>&1 | grep -c "scope persistent"; skr list --all | cut -f 1,4
                keyctl get_persistent @s >/dev/null; skr list --all 2>&1 | grep -c "scope persistent is left out"'
            """#, environment: ["OTHER": "\(user)", "SKR_NAMESPACE": "", "SKR_SCOPE": ""])
        #expect(outcome.output == "0\nsession\ta\n1\n", "\(outcome)")
    }
}
