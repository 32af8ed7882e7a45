import SessionKeyring
import Testing

@Suite("Bazel's protocol")
struct BazelTests {
    private let test = HelperUnderTest()

    @Test("the header for the nearest item that is for the URI, with its end where that is known")
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

    @Test("nothing stored, removed, over, or for another place: no headers, and no error")
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
        "what is no request, and another operation, is an error",
        arguments: ["", "https://h/a", "{}", #"{"uri":1}"#, "{"])
    func malformed(request: String) throws {
        try test.keep("tok", "https://h/a")
        let said = try test.bazel(request)
        #expect(said.output == "" && said.exitCode == 1 && said.message != nil)
        #expect(try test.bazel(#"{"uri":"https://h/a"}"#, "store").exitCode == 1)
    }
}
