import Foundation
import Keyutils
import TestSupport
import Testing

@Suite("Processes and files of /proc")
struct ProcessRecordTests {
    @Test(
        "a process has ended if it is a zombie without other threads",
        arguments: [("Z", 1, true), ("Z", 2, false), ("X", 1, true), ("S", 1, false), ("R", 2, false)]
            as [(String, Int, Bool)])
    func fields(state: String, threads: Int, hasEnded: Bool) throws {
        // As in proc_pid_stat(5); the name of the program may contain spaces and parentheses.
        for (name, end) in [("a) Z (b", " 18 19\n"), ("a", "")] {
            let line = "17 (\(name)) \(state) 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 \(threads) 0 4711\(end)"
            let record = try #require(ProcessRecord(parsing: line), "\(line)")
            #expect(record.startTime == 4711, "\(line)")
            #expect(record.hasEnded == hasEnded, "\(line)")
            #expect(record.name == name)
        }
    }

    @Test(
        "a line is not read if a field is missing or not a number",
        arguments: [
            "", "17 (a", "17 (a)", "17 (a) Z 1 2", "17 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 0",
            "17 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 0 x",
            "17 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 x 0 1",
        ])
    func malformedLine(line: String) {
        #expect(ProcessRecord(parsing: line) == nil)
    }

    @Test("this process is found in /proc, which shows its namespace")
    func ownProcess() throws {
        #expect(ProcessRecord.isProcOfOwnNamespace)
        #expect(try #require(ProcessRecord(getpid())).parent == getppid())
        #expect(ProcessRecord(0) == nil)
    }

    @Test("a whole file is read, whatever errno was; a folder or a missing file is an error")
    func wholeFile() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("proc-\(UUID().uuidString)").path
        defer { unlink(path) }
        for text in ["", "a", String(repeating: "0123456789", count: 1_000)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            // A stale errno from an earlier call must not matter.
            errno = EINTR
            #expect(try readProcFile(path) == text)
        }
        for none in ["/proc", "/proc/none"] { #expect(throws: KeyringError.self) { try readProcFile(none) } }
    }

    @Test("a file is read and closed even if its descriptor is 0")
    func firstFile() async {
        await #expect(processExitsWith: .exitCode(0)) {
            close(0)
            succeed(3, try !readProcFile("/proc/self/stat").isEmpty)
            // Another thread of the test's process can have opened a file by now.
            let left = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/0")
            succeed(4, left?.hasSuffix("/stat") != true)
            exit(0)
        }
    }
}
