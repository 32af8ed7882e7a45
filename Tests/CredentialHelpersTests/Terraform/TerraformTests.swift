import CredentialHelpers
import Testing

@Suite("Terraform's protocol")
struct TerraformTests {
    private let test = HelperUnderTest()

    private func terraform(_ operation: String, _ request: String = "") throws -> HelperUnderTest.Said {
        try test.answer(request.utf8) {
            try test.helper.terraform(operation, host: "app.example", request: $0)
        }
    }

    @Test("a token is stored, returned and forgotten")
    func stored() throws {
        #expect(try terraform("get") == .init(output: "{}\n"))
        #expect(try terraform("store", #"{"token":"a\"b"}"#) == .init(output: ""))
        #expect(try test.stored.values.map(\.self) == [#"a"b"#])
        #expect(try terraform("get") == .init(output: #"{"token":"a\"b"}"# + "\n"))
        #expect(try terraform("forget") == .init(output: ""))
        #expect(try terraform("get") == .init(output: "{}\n"))
        #expect(try terraform("forget") == .init(output: ""))
    }

    @Test(
        "a request that isn't just a token is refused, and nothing is stored",
        arguments: [
            "", "{}", "[]", "x", #"{"token":1}"#, #"{"token":null}"#, #"{"token":"s3cret","x":1}"#, #"{"x":"s3cret"}"#,
        ])
    func refused(request: String) throws {
        let said = try terraform("store", request)
        #expect(said.exitCode == 1 && said.message?.contains("s3cret") == false && said.output == "")
        #expect(try test.stored.isEmpty)
    }

    @Test("another operation is refused")
    func otherOperation() throws {
        #expect(try terraform("list").exitCode == 1)
    }
}
