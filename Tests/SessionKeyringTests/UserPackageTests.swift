import Foundation
import Testing

@Suite("A user's package, from outside")
struct UserPackageTests {
    @Test("one import is enough for each public call, and for a backend of one's own")
    func soleImport() throws {
        let sources = TypeCheck.repository.appendingPathComponent("Tests/UserPackage/Sources/UserPackage")
        let files = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        #expect(files.count == 3)
        for file in files where file.lastPathComponent != "main.swift" {
            let imports = try lines(of: file).filter { $0.hasPrefix("import ") }
            #expect(Set(imports).subtracting(["import Synchronization"]) == ["import SessionKeyring"])
        }
        #expect(try TypeCheck.messages(aboutFiles: files) == [])
    }

    #if !Crypto
        @Test("the README's lines about keys compile without a warning where the trait is off")
        func keys() throws {
            let readme = try lines(of: TypeCheck.repository.appendingPathComponent("README.md"))
            let shown = readme.filter { $0.contains("RawRepresentableKey") || $0.contains("signingKey") }
            #expect(shown.count == 2)
            let program = """
                import Crypto
                import SessionKeyring
                let store = try SecretStore()
                let signingKey = Curve25519.Signing.PrivateKey()
                \(shown.joined(separator: "\n"))
                """
            #expect(try TypeCheck.messages(about: program) == [])
        }
    #endif

    private func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }
}
