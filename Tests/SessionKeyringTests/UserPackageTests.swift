import Foundation
import TestSupport
import Testing

@Suite("A user's package, from outside", .tags(.anyUser))
struct UserPackageTests {
    @Test("one import is enough for every public call")
    func soleImport() throws {
        let sources = TypeCheck.repository.appendingPathComponent("Tests/UserPackage/Sources/UserPackage")
        let files = ["EveryCall", "EveryCallInTasks"].map { sources.appendingPathComponent("\($0).swift") }
        for file in files {
            let imports = try lines(of: file).filter { $0.hasPrefix("import ") }
            #expect(imports == ["import SessionKeyring"])
        }
        #expect(try TypeCheck.messages(aboutFiles: files) == [])
    }

    private func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }
}
