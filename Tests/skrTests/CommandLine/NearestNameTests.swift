import CommandSupport
import Testing
import skr

@Suite("Mistyped names")
struct NearestNameTests {
    @Test(
        "the nearest name differs in at most half of the shorter word, or else starts with the word",
        arguments: [
            ("lsit", "list"), ("LIST", "list"), ("lis", "list"), ("delte", "delete"), ("g", nil), ("gte", "get"),
            ("li", "list"), ("compl", "completions"), ("liability", nil), ("xyz", nil), ("getlist", nil), ("", nil),
            ("ge", "get"), ("gett", "get"), ("getli", nil), ("xget", "get"), ("xxget", nil),
            ("et", "get"), ("gex", "get"), ("laxt", "list"), ("lxxx", nil), ("gtx", nil), ("gxe", nil),
        ] as [(String, String?)])
    func nearest(word: String, name: String?) {
        #expect(NearestName.to(word, among: ["get", "list", "delete", "completions"]) == name)
    }
}
