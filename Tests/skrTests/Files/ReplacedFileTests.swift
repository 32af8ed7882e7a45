import Foundation
import Testing

@testable import skr

@Suite("A file that is replaced")
struct ReplacedFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "skr-\(UUID())").path

    /// Writes `new` to a file that `change` changes after its attributes were read; returns the file's text.
    private func write(over old: String?, after change: (_ file: String) throws -> Void) throws -> String? {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/config.json"
        try old?.write(toFile: file, atomically: false, encoding: .utf8)
        var found = stat()
        let condition: ReplacedFile.Condition = lstat(file, &found) == 0 ? .unchanged(found) : .absent
        try change(file)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        do {
            try ReplacedFile.write(Array("new".utf8).span.bytes, to: file, if: condition)
        } catch {
            #expect(error.exitCode == .tryAgain)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
        }
        return try? String(contentsOfFile: file, encoding: .utf8)
    }

    @Test("a file that another program has written in the meantime stays unchanged", arguments: [nil, "old"])
    func changed(old: String?) throws {
        #expect(try write(over: old) { try "login".write(toFile: $0, atomically: true, encoding: .utf8) } == "login")
        #expect(try write(over: old) { try "login".write(toFile: $0, atomically: false, encoding: .utf8) } == "login")
        #expect(try write(over: old) { _ in } == "new")
    }

    @Test("a file that another program has deleted in the meantime stays absent")
    func deleted() throws {
        #expect(try write(over: "old") { try FileManager.default.removeItem(atPath: $0) } == nil)
    }
}
