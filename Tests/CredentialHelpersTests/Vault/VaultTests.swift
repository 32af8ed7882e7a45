import CredentialHelpers
import Testing

@Suite("Vault's protocol")
struct VaultTests {
    private let test = HelperUnderTest()

    private func vault(
        _ operation: String, _ request: String = "", server: String = "https://v.example"
    ) throws -> HelperUnderTest.Said {
        try test.answer(request.utf8) { try test.helper.vault(operation, server: server, request: $0) }
    }

    @Test(
        "a token is stored without its line break, and slashes after an address do not count"
    )
    func stored() throws {
        #expect(try vault("get") == .init(output: ""))
        #expect(try vault("store", "hvs.tok\n", server: "https://v.example//") == .init(output: ""))
        #expect(try vault("get", server: "https://v.example/") == .init(output: "hvs.tok"))
        #expect(try vault("get", server: "https://w.example") == .init(output: ""))
        #expect(CredentialHelper.isOneVault("https://v.example/", "https://v.example"))
        #expect(!CredentialHelper.isOneVault("https://v.example/", "https://v.example/a"))
        #expect(try vault("erase") == .init(output: ""))
        #expect(try vault("get") == .init(output: ""))
    }

    @Test("a token that isn't one line is refused, and nothing is stored", arguments: ["", "\n", "a\nb", "a\n\n"])
    func refused(request: String) throws {
        #expect(try vault("store", request).exitCode == 1)
        #expect(try test.stored.isEmpty)
    }

    @Test("a stored secret of several lines is not returned, and another operation is refused")
    func notGiven() throws {
        try test.keep("a\nb", "https://v.example")
        let said = try vault("get")
        #expect(said.exitCode == 1 && said.output == "")
        #expect(try vault("list").exitCode == 1)
    }
}
