import CommandSupport
import Foundation
import Glibc
import Testing

@testable import skr_stress

@Suite("Output files")
struct OutputFileTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("skr-stress-test-\(UUID().uuidString)")

    private func inDirectory(_ body: (String) throws -> Void) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    @Test("a file keeps its old content until it is written, its permissions and the link to it")
    func replaces() throws {
        try inDirectory { directory in
            try Data("a longer text than before".utf8).write(to: URL(fileURLWithPath: "\(directory)/old"))
            chmod("\(directory)/old", 0o640)
            symlink("old", "\(directory)/link")
            let file = try OutputFile("\(directory)/link")
            #expect(try String(contentsOfFile: "\(directory)/old", encoding: .utf8) == "a longer text than before")
            try file.write("new")
            #expect(try String(contentsOfFile: "\(directory)/old", encoding: .utf8) == "new")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/link") == "old")
            var attributes = stat()
            #expect(stat("\(directory)/old", &attributes) == 0 && attributes.st_mode & 0o777 == 0o640)
        }
    }

    @Test("an output file can be a pipe or a device")
    func device() throws {
        try OutputFile("/dev/null").write("text")
    }

    @Test("a file that can't be written is an error before there is a result")
    func unwritable() throws {
        try inDirectory { directory in
            for path in [directory, "\(directory)/none/file", "", "/proc/file"] {
                let error = #expect(throws: CommandError.self) { try OutputFile(path) }
                #expect(error?.exitCode == .usage && error?.message.hasPrefix("can't write '\(path)': ") == true)
            }
        }
    }
}
