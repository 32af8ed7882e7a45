import Foundation
import SessionKeyringTesting

/// The command as a user runs it: a process of its own, with what goes in and what comes out.
struct CommandRunner {
    struct Outcome: Equatable {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    /// The `skr` that the tests are about: the one that `SKR_TEST_EXECUTABLE` names, else the one that was built.
    static let executable =
        ProcessInfo.processInfo.environment["SKR_TEST_EXECUTABLE"].map { URL(fileURLWithPath: $0) } ?? built

    /// The `skr` that was built beside this test bundle.
    static let built: URL = {
        let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: bundle ?? "").deletingLastPathComponent().appendingPathComponent("skr")
    }()

    /// A namespace of its own, so that tests don't get in each other's way.
    let namespace = "skr-test-\(UUID().uuidString)"

    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments, input: Data(input.utf8), environment: environment)
    }

    func run(_ arguments: [String], input: Data, environment: [String: String] = [:]) throws -> Outcome {
        try Self.start(
            Self.executable.path, arguments, input: input,
            environment: ["SKR_NAMESPACE": namespace].merging(environment) { $1 })
    }

    /// Runs a shell script in which `skr` is the command.
    func shell(
        _ script: String, words: [String] = [], environment: [String: String] = [:]
    ) throws -> Outcome {
        try Self.start(
            "/bin/bash", ["-c", script, "bash"] + words, input: Data(),
            environment: ["SKR_NAMESPACE": namespace, "PATH": Self.path].merging(environment) { $1 }
        )
    }

    /// A program, not started yet, for which `skr` is the command.
    func process(_ program: String, _ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SKR_NAMESPACE": namespace, "PATH": Self.path]) { $1 }.merging(environment) { $1 }
        return process
    }

    private static let path =
        "\(executable.deletingLastPathComponent().path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"

    /// A child inherits the mask of blocked signals, and the threads that run tests block most.
    static func withAllSignals(_ body: () throws -> Void) throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    private static func start(
        _ program: String,
        _ arguments: [String],
        input: Data,
        environment: [String: String]
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        let errors = Locked(Data())
        let reading = DispatchGroup()
        try Self.withAllSignals { try process.run() }
        DispatchQueue.global().async(group: reading) {
            let data = stderr.fileHandleForReading.readDataToEndOfFile()
            errors.withLock { $0 = data }
        }
        DispatchQueue.global().async(group: reading) {
            // A command that does not want its input closes the pipe, which is not our failure.
            try? stdin.fileHandleForWriting.write(contentsOf: input)
            try? stdin.fileHandleForWriting.close()
        }
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        reading.wait()
        return Outcome(
            exitCode: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: errors.withLock { String(decoding: $0, as: UTF8.self) }
        )
    }
}

extension CommandRunner {
    /// Runs a shell script in a session keyring of its own, so that nothing is left in the tester's.
    func inSession(_ script: String, environment: [String: String] = [:]) throws -> Outcome {
        try shell(
            #"exec keyctl session - bash -c "$SKR_TEST_SCRIPT" 2> >(grep -v "^Joined session" >&2)"#,
            environment: ["SKR_TEST_SCRIPT": script].merging(environment) { $1 }
        )
    }
}

extension CommandRunner {
    /// Starts the command with exactly this environment, which no dictionary could hold, and gives its output.
    static func spawn(_ arguments: [String], environment: [String]) throws -> String {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        let words = ([executable.path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child = pid_t()
        let code = posix_spawn(&child, executable.path, &actions, nil, words, variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        var status = CInt()
        waitpid(child, &status, 0)
        return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    }
}
