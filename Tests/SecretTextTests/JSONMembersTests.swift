import SecretText
import Testing

@Suite("The members of a JSON object")
struct JSONMembersTests {
    private func members(of text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        let json = try JSONMembers(of: bytes.span.bytes)
        return json.members.map { member in
            #expect(member.range.upperBound == member.value.upperBound)
            return "\(member.name)=\(String(decoding: bytes[member.value], as: UTF8.self))"
        }
    }

    @Test(
        "each member has its value exactly as written, at any depth",
        arguments: [
            ("{}", []), (" { } ", []), (#"{"a":1}"#, ["a=1"]),
            (
                "\u{FEFF}{\r\n\t\"a\" : [ {\"b\":\"]}\"} , -0.5e9 ] ,\"c\":\"\\\"\" }\n",
                ["a=[ {\"b\":\"]}\"} , -0.5e9 ]", "c=\"\\\"\""]
            ),
            (#"{"\u0061\n":true,"a":null,"a":{}}"#, ["a\n=true", "a=null", "a={}"]), (#"{"":[[[]]]}"#, ["=[[[]]]"]),
        ] as [(String, [String])])
    func found(text: String, expected: [String]) throws {
        #expect(try members(of: text) == expected)
    }

    @Test(
        "a text that isn't a JSON object is refused",
        arguments: [
            "", "[]", "1", #""a""#, "{", "{}}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"\ud800":1}"#,
            "{\0}",
        ])
    func refused(text: String) {
        #expect(throws: JSONMembers.NoObject.self) { try members(of: text) }
    }

    @Test("deep nesting does not use up the stack")
    func deep() throws {
        let nested = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
        #expect(try members(of: "{\"a\":\(nested)}").count == 1)
    }
}
