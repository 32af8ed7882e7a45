import Foundation
import TestSupport
import Testing

/// `.ci/setup` installs only files that are signed with a key that it knows.
@Suite("A signature is valid only if its key is pinned and still valid", .tags(.anyUser))
struct SignatureTests {
    /// Shell functions that make keys for one test and verify signatures.
    ///
    /// Keys that must have expired are made in the past. No gpg agent keeps running after the test.
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

    private func run(
        _ script: String, prints output: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let verify = root.deletingLastPathComponent().appendingPathComponent(".ci/verify")
        let outcome = try CommandRunner().shell(Self.keys + "\n" + script, environment: ["VERIFY": verify.path])
        #expect(outcome.output == output, "\(outcome.errors)", sourceLocation: location)
    }

    @Test("a good signature is accepted, but not with another key's fingerprint or another file")
    func good() throws {
        try run(
            #"""
            sign good; verify $(of good); verify $(of other) $(of good); verify $(of other); grep -c "not expected" errors
            echo more >>file; verify $(of good); sign other; verify $(of good); : >sig; verify $(of good)
            """#, prints: "0\n0\n1\n1\n1\n1\n1\n")
    }

    @Test("a signature is refused if its key or the signature itself has expired")
    func expired() throws {
        try run(
            #"""
            make old 1d "${past[@]}"; sign old "${past[@]}"; verify $(of old); grep -c "error: file: EXPKEYSIG" errors
            sign good --default-sig-expire seconds=1; until [ $(verify $(of good)) = 1 ]; do sleep 0.1; done; verify $(of good); grep -c "error: file: EXPSIG" errors
            """#, prints: "1\n1\n1\n1\n")
    }

    @Test("a signature from a revoked key is refused")
    func revoked() throws {
        try run(
            #"""
            sign good; sed 's/^:-/-/' $GNUPGHOME/openpgp-revocs.d/$(of good).rev | gpg --batch --quiet --import 2>/dev/null
            verify $(of good); grep -c "error: file: REVKEYSIG" errors
            """#, prints: "1\n1\n")
    }
}
