import SessionKeyring
import Testing

@Suite("Bazel's protocol")
struct BazelTests {
    private let test = HelperUnderTest()

    @Test("the answer has the header of the nearest item for the URI, and its expiry if known")
    func found() throws {
        try test.keep("tok\"\\", "https://h/a")
        try test.keep("web", "http://h")
        try test.keep("end", until: HelperUnderTest.now + 60, "https://h/a/b")
        #expect(
            try test.bazel(#"{"uri":"https://h/a/x","more":[{}]}"#)
                == .init(output: #"{"headers":{"Authorization":["Bearer tok\"\\"]}}"# + "\n"))
        #expect(try test.bazel(#"{"uri":"http://h/a"}"#).output.contains("Bearer web"))
        let end = HelperUnderTest.time(in: 60)
        #expect(
            try test.bazel(#"{"uri":"https://h/a/b"}"#)
                == .init(output: #"{"headers":{"Authorization":["Bearer end"]},"expires":"\#(end)"}"# + "\n"))
    }

    @Test("an item that is missing, deleted, expired or for another place gives no headers")
    func notFound() throws {
        let none = HelperUnderTest.Said(output: "{\"headers\":{}}\n")
        #expect(try test.bazel(#"{"uri":"https://h/a"}"#) == none)
        try test.keep("tok", "https://h/a")
        for uri in ["https://h/ab", "http://h/a", "grpcs://h/a", "https://h/a/../b", "", "x"] {
            #expect(try test.bazel(#"{"uri":"\#(uri)"}"#) == none)
        }
        try test.store.delete(.password(service: "https://h/a", account: ""))
        #expect(try test.bazel(#"{"uri":"https://h/a"}"#) == none)
        try test.keep("tok", until: HelperUnderTest.now - 1, "https://h/a")
        #expect(try test.bazel(#"{"uri":"https://h/a"}"#) == none)
    }

    @Test(
        "a malformed request or another operation is an error",
        arguments: ["", "https://h/a", "{}", #"{"uri":1}"#, "{"])
    func malformed(request: String) throws {
        try test.keep("tok", "https://h/a")
        let said = try test.bazel(request)
        #expect(said.output == "" && said.exitCode == 1 && said.message != nil)
        #expect(try test.bazel(#"{"uri":"https://h/a"}"#, "store").exitCode == 1)
    }
}
