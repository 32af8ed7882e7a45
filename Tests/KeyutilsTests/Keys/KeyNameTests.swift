import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Names on the real kernel")
final class KeyNameTests: ScratchSuite {
    @Test(
        "any name without a NUL comes back exactly",
        arguments: [
            "a", " ", " leading and trailing ", "a;b;;c;", "user;0;0;3f010000;x", "ключ 🔑", "a\tb", "%s%n", "e\u{301}",
        ]
    )
    func anyName(_ name: String) throws {
        let key = try keyring.add(name)
        let description = try key.describe()
        #expect(Array(description.name.utf8) == Array(name.utf8))
        #expect(description.isExact)
        #expect(try keyring.search(.user, name) == key)
    }

    @Test("names that Swift considers equal but whose bytes differ are different keys")
    func bytesCount() throws {
        #expect(try keyring.add("e\u{301}") != keyring.add("\u{e9}"))
    }

    @Test("a name of any allowed length comes back whole", arguments: [1, 255, 980, 1_000, 1_023, 1_024, 4_094, 4_095])
    func lengths(_ count: Int) throws {
        let name = String(repeating: "n", count: count - 1) + "!"
        let key = try keyring.add(name)
        #expect(try key.describe().name == name)
        #expect(try keyring.search(.user, name) == key)
    }

    @Test("a description is appended to the buffer, which grows for it", arguments: [0, 1, 900, 5_000])
    func growingBuffer(_ start: Int) throws {
        let name = String(repeating: "n", count: 999) + "!"
        let key = try keyring.add(name)
        var buffer = pattern(start)
        let length = try key.describe(into: &buffer, at: start)
        let isKept = buffer.starts(with: pattern(start))
        #expect(isKept)
        let text = String(decoding: buffer[start..<start + length], as: UTF8.self)
        #expect(text.hasPrefix("user;") && text.hasSuffix(";" + name))
    }

    @Test("an empty name and a name of 4,096 bytes or more are refused", arguments: [0, 4_096, 10_000])
    func wrongLength(_ count: Int) throws {
        expectFailure(.invalidArgument) { () throws(KeyringError) in
            try keyring.add(String(repeating: "n", count: count))
        }
    }

    @Test("every operation refuses a NUL in a name before it calls the kernel")
    func nul() throws {
        try keyring.add("cut")
        func expectRefusal(_ operation: KeyringError.Operation, _ body: () throws -> Void) {
            #expect(throws: KeyringError(.invalidArgument, in: operation)) { try body() }
        }
        expectRefusal(.add) { try keyring.add("cut\0off") }
        expectRefusal(.add) { _ = try keyring.addKeyring("\0") }
        expectRefusal(.add) { try keyring.add("us\0er", "x", pattern(1)) }
        expectRefusal(.search) { _ = try keyring.search(.user, "cut\0off") }
        expectRefusal(.search) { _ = try keyring.search("user\0", "cut") }
        expectRefusal(.request) { _ = try Key.request(.user, "cut\0off") }
        expectRefusal(.request) { _ = try Key.request("user\0", "cut") }
        expectRefusal(.request) { _ = try Key.request(.user, "cut", callout: "in\0fo") }
        expectRefusal(.restrict) { try keyring.restrict(type: "asym\0", restriction: "builtin_trusted") }
        expectRefusal(.restrict) { try keyring.restrict(type: .asymmetric, restriction: "built\0in") }
        expectRefusal(.publicKeyQuery) { _ = try Key(keyring).publicKeyAttributes(parameters: "enc=\0") }
        #expect(try keyring.members().count == 1)
    }
}
