import Foundation
import Testing

@Suite("A user's package, from outside")
struct UserPackageTests {
    @Test("one import is enough for each public call, and for a backend of one's own")
    func soleImport() throws {
        let sources = TypeCheck.repository.appendingPathComponent("Tests/UserPackage/Sources/UserPackage")
        let files = ["EveryCall", "EveryCallInTasks", "CountingBackend"].map {
            sources.appendingPathComponent("\($0).swift")
        }
        for file in files {
            let imports = try lines(of: file).filter { $0.hasPrefix("import ") }
            #expect(Set(imports).subtracting(["import Synchronization"]) == ["import SessionKeyring"])
        }
        #expect(try TypeCheck.messages(aboutFiles: files) == [])
    }

    @Test("the README's Swift compiles, without a warning, in a task's function")
    func readme() throws {
        let readme = try String(
            contentsOf: TypeCheck.repository.appendingPathComponent("README.md"), encoding: .utf8)
        let snippets = readme.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        let shown = snippets.filter {
            $0.contains("import SessionKeyring\n") || $0.contains("import SessionKeyringTesting")
        }
        #expect(shown.count == 2)
        let lines = shown.joined().split(separator: "\n")
        // With the trait they are the library's own.
        #if Crypto
            let conformances: [Substring] = []
        #else
            let conformances = lines.filter { $0.hasPrefix("extension") }
        #endif
        let program = """
            import Crypto
            import SessionKeyring
            import SessionKeyringTesting
            \(conformances.joined(separator: "\n"))
            struct Login: Codable { let user: String, groups: [String] }
            struct Token: Codable, Equatable { let expiresIn: Int }
            func logIn() async throws -> Token { Token(expiresIn: 3_600) }
            func refresh(_ old: Token) async throws -> Token { old }
            func upload(fencedBy number: UInt64) async throws {}
            func use(_ item: ItemIdentity, _ signingKey: Curve25519.Signing.PrivateKey) async throws {
                \(lines.filter { !$0.hasPrefix("extension") && !$0.hasPrefix("import") }.joined(separator: "\n"))
            }
            """
        let messages = try TypeCheck.messages(about: program).filter { !$0.contains("was never used") }
        #expect(messages == [])
    }

    private func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }
}
