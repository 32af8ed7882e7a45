import Foundation
import Testing

/// What `.ci/setup` installs is signed by a key that it knows.
@Suite("A signature is good if it is of a pinned key that is still good")
struct SignatureTests {
    /// Keys that last as long as the test, in the past where they are to have expired; no agent is left behind.
    private static let keys = #"""
        work=$(mktemp -d); export GNUPGHOME=$work/keys; mkdir -m 700 $GNUPGHOME; cd $work
        trap 'gpgconf --kill all 2>/dev/null; rm -rf $work' EXIT
        pass=(gpg --batch --quiet --no-tty --pinentry-mode loopback --passphrase ''); past=(--faked-system-time 20200101T000000)
        make() { "${pass[@]}" "${@:3}" --quick-gen-key "$1" ed25519 sign "$2" 2>/dev/null; }
        sign() { "${pass[@]}" "${@:2}" --yes --local-user "=$1" --output sig --detach-sign file 2>/dev/null; }
        of() { gpg --batch --with-colons --list-keys "=$1" 2>/dev/null | awk -F: '$1 == "fpr" { print $10; exit }'; }
        verify() { gpg --batch --export --armor >all.asc; bash "$VERIFY" file sig all.asc "$@" 2>errors; echo $?; }
        echo content >file; make good 0; make other 0
        """#

    private func run(_ script: String) throws -> CommandRunner.Outcome {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let verify = root.deletingLastPathComponent().appendingPathComponent(".ci/verify")
        return try CommandRunner().shell(Self.keys + "\n" + script, environment: ["VERIFY": verify.path])
    }

    @Test("a good one is; with another key's fingerprint, or of another file, it is not")
    func good() throws {
        let outcome = try run(
            #"""
            sign good; verify $(of good); verify $(of other) $(of good); verify $(of other); grep -c "not expected" errors
            echo more >>file; verify $(of good); sign other; verify $(of good); : >sig; verify $(of good)
            """#)
        #expect(outcome.output == "0\n0\n1\n1\n1\n1\n1\n", "\(outcome.errors)")
    }

    @Test("one of a key that has expired is not, nor one that has expired itself")
    func expired() throws {
        let outcome = try run(
            #"""
            make old 1d "${past[@]}"; sign old "${past[@]}"; verify $(of old); grep -c "error: file: EXPKEYSIG" errors
            sign good --default-sig-expire seconds=1; until [ $(verify $(of good)) = 1 ]; do sleep 0.1; done; verify $(of good); grep -c "error: file: EXPSIG" errors
            """#)
        #expect(outcome.output == "1\n1\n1\n1\n", "\(outcome.errors)")
    }

    @Test("one of a key that was revoked is not")
    func revoked() throws {
        let outcome = try run(
            #"""
            sign good; sed 's/^:-/-/' $GNUPGHOME/openpgp-revocs.d/$(of good).rev | gpg --batch --quiet --import 2>/dev/null
            verify $(of good); grep -c "error: file: REVKEYSIG" errors
            """#)
        #expect(outcome.output == "1\n1\n", "\(outcome.errors)")
    }
}
