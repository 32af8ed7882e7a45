import Foundation

/// This package's own directory, and programs that are run in it.
enum Package {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Becomes the same program, built for speed: what a debug build takes says nothing.
    static func runInRelease(_ options: [String] = []) -> Never {
        Console.note("built for debugging, which measures nothing; running in release")
        let words = ["swift", "run", "-c", "release", "--package-path", directory.path(percentEncoded: false), "table"]
        var arguments = (words + options).map { strdup($0) } + [nil]
        execvp("swift", &arguments)
        Console.fail("cannot run swift: \(String(cString: strerror(errno)))")
    }

    /// Runs a program that is looked for on PATH, and gives its standard output; standard error goes on.
    static func output(
        of words: [String], environment: [String: String] = [:], accepting codes: Set<Int32> = [0]
    ) throws -> Data {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .exit, codes.contains(process.terminationStatus) else {
            throw Failure(words: words, status: process.terminationStatus, output: output)
        }
        return output
    }

    /// A new directory, removed after `body`.
    static func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "skr-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer {
            do {
                try FileManager.default.removeItem(at: directory)
            } catch {
                Console.note("cannot remove \(directory.path(percentEncoded: false)): \(error)")
            }
        }
        return try body(directory)
    }

    struct Failure: Error, CustomStringConvertible {
        let words: [String]
        let status: Int32
        let output: Data

        var description: String {
            "\(words.joined(separator: " ")) ended with \(status): \(String(decoding: output, as: UTF8.self))"
        }
    }
}
