import Foundation
import Keyutils

/// This program, the directory of its package, and the programs that it runs.
enum Program {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path(percentEncoded: false)
    static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path(percentEncoded: false)

    /// Runs `body`, and exits with the code that it returns.
    static func run(inOwnSession: Bool = true, _ body: () throws -> CInt) -> Never {
        #if DEBUG
            Console.note("a debug build can't be measured; running a release build")
            let words = ["swift", "run", "-c", "release", "--package-path", directory, "benchmarks"]
            become(words + CommandLine.arguments.dropFirst())
        #else
            if inOwnSession { joinOwnSession() }
            do {
                exit(try body())
            } catch {
                Console.fail("\(error)")
            }
        #endif
    }

    /// Joins a session without other keyrings, each of which would make every read slower.
    ///
    /// Threads that start later share the session. It disappears with the process, together with all its keys.
    static func joinOwnSession() {
        do {
            try SessionMembership.joinAnonymous()
        } catch {
            Console.fail("can't join a new session keyring: \(error)")
        }
    }

    /// Replaces this process by another program.
    static func become(_ words: [String]) -> Never {
        var arguments = words.map { strdup($0) } + [nil]
        execvp(words[0], &arguments)
        Console.fail("can't run \(words[0]): \(String(cString: strerror(errno)))")
    }

    /// Runs a program from PATH, and returns its standard output.
    ///
    /// Its standard error is this program's.
    @discardableResult
    static func output(
        of words: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> Data {
        let (process, answers, questions) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardInput, process.standardOutput) = (questions, answers)
        try process.run()
        try questions.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try questions.fileHandleForWriting.close()
        let output = try answers.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let text = String(decoding: output, as: UTF8.self)
            throw Failure("\(words.joined(separator: " ")) ended with \(process.terminationStatus): \(text)")
        }
        return output
    }

    /// The path of a program on PATH.
    static func find(_ name: String) throws -> String {
        guard let path = try? output(of: ["sh", "-c", "command -v -- \"$0\"", name]) else {
            throw Failure("no such command: \(name)")
        }
        return String(decoding: path.dropLast(), as: UTF8.self)
    }

    /// Creates a directory for `body`, and removes it afterwards.
    static func withTemporaryDirectory<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "skr-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory.path(percentEncoded: false) + "/")
    }
}
