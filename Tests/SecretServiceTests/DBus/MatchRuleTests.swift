import Testing

@testable import SecretService

@Suite("Match rules of D-Bus")
struct MatchRuleTests {
    private var signal: MessageHeader {
        var header = MessageHeader(kind: .signal)
        (header.path, header.interface, header.member) = ("/a/b", "i.f", "M")
        return header
    }

    @Test(
        "a rule matches",
        arguments: [
            "", "type='signal'", "type=signal", "sender='s.n'", "sender=':1.0'", "interface='i.f',member='M'",
            "path='/a/b'",
            "path_namespace='/a'", "path_namespace='/a/b'", "path_namespace='/'", "arg0='/x/y'",
            "type='signal',sender='s.n',path='/a/b',interface='i.f',member='M',arg0='/x/y'",
        ])
    func matches(rule: String) throws {
        #expect(try #require(MatchRule(rule)).matches(signal, senders: ["s.n", ":1.0"], arguments: ["/x/y"]))
    }

    @Test(
        "a rule does not match",
        arguments: [
            "type='error'", "sender='x'", "interface='i'", "member='m'", "path='/a'", "path_namespace='/a/'",
            "path_namespace='/ab'",
            "arg0='/x'", "arg1='/x/y'", "arg0path='/x'", "destination=':1.5'", "arg0namespace='x'", "unknown='x'",
        ])
    func differs(rule: String) throws {
        #expect(try !#require(MatchRule(rule)).matches(signal, senders: ["s.n", ":1.0"], arguments: ["/x/y"]))
    }

    @Test(
        "a malformed rule is refused", arguments: ["type", "type='signal", "type='a',type='b'", "='x'", "arg0='a,b'"])
    func malformed(rule: String) {
        #expect(MatchRule(rule) == nil)
    }
}
