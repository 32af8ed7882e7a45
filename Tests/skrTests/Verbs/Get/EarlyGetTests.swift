import Foundation
import Testing

/// Checks that C's answer before `main` is the answer that `main` would give.
///
/// Compares the installed executable with the debug build, which has no early answer.
@Suite(
    "An early answer to get is the usual answer",
    .enabled(if: EarlyGetCases.installed != nil, "needs a release build in SKR_TEST_EXECUTABLE"))
struct EarlyGetTests {
    private static let isFull = ProcessInfo.processInfo.environment["SKR_ALL_COMPARISONS"] == "1"

    @Test("for generated calls, both executables give the same bytes, errors and exit code")
    func comparison() throws {
        print("SKR_TEST_SEED=\(testSeed)")
        var cases = EarlyGetCases(seed: testSeed)
        let (count, batch) = Self.isFull ? (10_000, 500) : (300, 300)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var answered = 0
        for first in stride(from: 0, to: count, by: batch) {
            let script = (first..<first + batch).map { "c \($0) \(cases.next())\n" }.joined()
            try Data((EarlyGetCases.preparation + script + EarlyGetCases.conclusion).utf8)
                .write(to: folder.appendingPathComponent("script"))
            let outcome = try CommandRunner().inSession(
                #"cd "$FOLDER"; source ./script"#,
                environment: [
                    "FOLDER": folder.path, "WITH": EarlyGetCases.installed ?? "", "WITHOUT": TestedPrograms.built.path,
                ])
            let lines = outcome.output.split(separator: "\n")
            #expect(
                lines.first == "same",
                "seed \(testSeed)\n\(outcome.output.prefix(4_000))\(outcome.errors.prefix(1_000))")
            answered += lines.last.flatMap { Int($0) } ?? 0
        }
        // A comparison of errors alone would prove little.
        #expect(answered > count / 10)
    }

    @Test("while it waits for a reader, the secret is in locked memory, and no core dump can have it")
    func waiting() throws {
        let outcome = try CommandRunner().shell(
            #"""
            user=(); [ $(id -u) != 0 ] || user=(setpriv --reuid 60488 --regid 60488 --clear-groups)
            exec "${user[@]}" keyctl session - bash -c "$SKR_TEST_SCRIPT" 2>/dev/null
            """#,
            environment: [
                "SKR_TEST_SCRIPT": #"""
                printf s3cret | skr set a; exec 7> >(exec sleep 30); reader=$!; head -c 65536 /dev/zero >&7; skr get a >&7 & get=$!
                for ((i = 0; i < 200; i++)); do grep -q '^VmLck:.*[1-9]' /proc/$get/status && break; sleep 0.02; done
                grep -c '^VmLck:.*[1-9]' /proc/$get/status; stat -c %u /proc/$get/status; kill $get $reader
                """#
            ])
        // The kernel gives the files of a process that can't be dumped to root.
        #expect(outcome.output == "1\n0\n", "\(outcome)")
    }

    @Test("the installed executable answers a plain get without starting the Swift runtime")
    func early() throws {
        let outcome = try CommandRunner().inSession(
            #"printf x | skr set a; export SWIFT_DEBUG_HELP=YES; skr get a; skr get --scope session a 2>&1 | wc -l"#)
        #expect(outcome.errors == "" && outcome.output.hasPrefix("x"))
        #expect(outcome.output.dropFirst().split(separator: "\n").last.flatMap { Int($0) } ?? 0 > 1)
    }
}
