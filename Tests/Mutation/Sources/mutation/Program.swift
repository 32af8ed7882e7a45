import Foundation

/// Runs other programs to their end.
enum Program {
    /// Runs a program, and returns its exit code and the text of both outputs.
    static func run(_ name: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    static func output(_ name: String, _ arguments: [String]) throws -> String {
        let outcome = try run(name, arguments)
        guard outcome.code == 0 else { throw Failure("\(name) failed: \(outcome.output)") }
        return outcome.output
    }
}

/// Prints a line immediately, even if the output is a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
