import Foundation
import Keyutils
import Testing

/// Runs the command as a user does: in its own process, with its input and output.
struct CommandRunner {
    struct Outcome: Equatable {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    /// The tested `skr`, which every user can run.
    static let executable = TestedPrograms.folder.appendingPathComponent(TestedPrograms.skr.lastPathComponent)

    /// A namespace for this test only, so that tests don't disturb each other.
    let namespace = "skr-test-\(UUID().uuidString)"

    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments, input: Data(input.utf8), environment: environment)
    }

    func run(_ arguments: [String], input: Data, environment: [String: String] = [:]) throws -> Outcome {
        try start(Self.executable.path, arguments, input: input, environment: environment)
    }

    /// Runs a shell script in which `skr` is the tested command.
    func shell(
        _ script: String, words: [String] = [], environment: [String: String] = [:]
    ) throws -> Outcome {
        try start("/bin/bash", ["-c", script, "bash"] + words, environment: environment)
    }

    /// Returns what completion offers after these words, without descriptions.
    func candidates(_ words: [String]) throws -> [Substring] {
        let answer = try run(["---complete", "zsh", "skr"] + words, input: Data()).output
        return answer.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
    }

    /// A shell function that prints how many keys a keyring has, if they don't vanish within 5 s.
    ///
    /// The kernel removes the watch of an ended fetch only a moment later.
    static let left = #"""
        left() { for i in {1..100}; do [ "$(keyctl list $1)" = "keyring is empty" ] && break; sleep 0.05; done; keyctl list $1 | head -n 1; }

        """#

    /// A shell function, also for the shell's children, that waits up to 30 s for a number of processes to call it.
    ///
    /// Its words are the number and the name of the meeting.
    static let meeting = #"""
        export MEETINGS=$(mktemp -d); trap 'rm -rf $MEETINGS' EXIT
        meet() {
            local i here; mkdir -p $MEETINGS/$2; : > $MEETINGS/$2/$$
            for ((i = 0; i < 600; i++)); do here=($MEETINGS/$2/*); ((${#here[@]} >= $1)) && break; sleep 0.05; done
        }; export -f meet

        """#

    /// Shell functions that wait up to 30 s: `filled` until a file has content, and `gone` until a process has ended.
    ///
    /// Then `gone` prints its name.
    static let waits = #"""
        filled() { for ((i = 0; i < 600; i++)); do [[ -s $1 ]] && break; sleep 0.05; done; }
        gone() { for ((i = 0; i < 600; i++)); do grep -qs '^State:.[^Z]' /proc/$1/status || { echo gone; return; }; sleep 0.05; done; }

        """#

    /// Returns the tests' environment with these variables changed.
    ///
    /// In it, `skr` is the tested command.
    func environment(_ changes: [String: String]) -> [String] {
        ChildProcess.environment(
            ["SKR_NAMESPACE": namespace, "SKR_TIMEOUT": "", "SKR_SOURCES": "none", "PATH": Self.path].merging(changes) {
                $1
            })
    }

    private static let path =
        "\(executable.deletingLastPathComponent().path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"

    private func start(
        _ program: String, _ arguments: [String], input: Data = Data(), environment changes: [String: String]
    ) throws -> Outcome {
        Outcome(try ChildProcess.run(program, arguments, environment: environment(changes), input: input))
    }
}

extension CommandRunner.Outcome {
    fileprivate init(_ outcome: ChildProcess.Outcome) {
        exitCode = outcome.exitCode
        output = String(decoding: outcome.output, as: UTF8.self)
        errors = String(decoding: outcome.errors, as: UTF8.self)
    }
}

extension CommandRunner {
    /// Runs a shell script in a new session keyring, so that nothing is left in the tester's own.
    ///
    /// - Parameters:
    ///   - output: what the script must print.
    ///   - errors: the errors that it must print; it must then end with 0, too.
    @discardableResult
    func inSession(
        _ script: String, environment: [String: String] = [:], prints output: String? = nil, errors: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try shell(
            #"exec keyctl session - bash -c "$SKR_TEST_SCRIPT" 2> >(grep -v "^Joined session" >&2)"#,
            environment: ["SKR_TEST_SCRIPT": script].merging(environment) { $1 }
        )
        if let output { #expect(outcome.output == output, "\(outcome)", sourceLocation: location) }
        if let errors {
            #expect(outcome.exitCode == 0 && outcome.errors == errors, "\(outcome)", sourceLocation: location)
        }
        return outcome
    }
}

extension CommandRunner {
    /// Whether the user keyring had a ring of leases before these tests, as after `skr lock`.
    ///
    /// Such a ring stays.
    private static let hadLeasesRing = (try? Keyring.resolve(.userKeyring).search(.keyring, "skr-leases")) != nil

    /// Runs a shell script that stores in the user scope, then removes the keyrings that the script created there.
    func inUserScope(_ script: String) throws -> Outcome {
        try shell(
            #"""
            bash -c "$SKR_TEST_SCRIPT" 2> >(grep -v "^Joined session" >&2); code=$?
            rings=$(keyctl show @u 2>/dev/null | awk "/skr:$SKR_NAMESPACE/ {print \$1}")
            [[ $SKR_TEST_KEEPS_LEASES ]] || leases=$(keyctl show @u 2>/dev/null | awk "/skr-leases/ {print \$1}")
            # Waits for leases (keyrings) that other tests hold at the same time.
            hold() { for key in $(keyctl rlist $1); do keyctl rdescribe $key; done 2>/dev/null | grep -q "^keyring"; }
            for ((i = 0; i < 100; i++)); do [[ $leases ]] && hold $leases || break; sleep 0.1; done
            for ring in $rings $leases; do keyctl unlink $ring @u 2>/dev/null; done
            exit $code
            """#, environment: ["SKR_TEST_SCRIPT": script, "SKR_TEST_KEEPS_LEASES": Self.hadLeasesRing ? "1" : ""])
    }
}

extension CommandRunner {
    /// Runs the command with exactly this environment, which a dictionary could not hold, and returns its output.
    static func spawn(_ arguments: [String], environment: [String]) throws -> String {
        Outcome(try ChildProcess.run(executable.path, arguments, environment: environment)).output
    }
}
