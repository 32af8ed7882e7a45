import Keyutils
import SecretText
import Testing

@testable import SecretService

@Suite("D-Bus messages")
struct MessageTests {
    @Test("what is written is read again, in pieces of any size", arguments: [1, 2, 3, 7, 16, 17, 1_000])
    func roundTrip(size: Int) throws {
        let bytes =
            Samples.call("Get", ["a", "é"], interface: "org.freedesktop.DBus.Properties", serial: 7)
            + Samples.call("Ping", path: "/", destination: nil, serial: 8)
        let messages = try Samples.messages(in: bytes, by: size)
        #expect(messages.count == 2)
        let header = messages[0].header
        #expect(header.kind == .call && header.serial == 7 && header.member == "Get" && header.signature == "ss")
        #expect(header.path == "/org/freedesktop/secrets" && header.destination == "org.freedesktop.secrets")
        #expect(header.expectsReply)
        var body = try #require(messages[0].body)
        #expect(try body.string() == "a")
        #expect(try body.string() == "é")
        #expect(body.isAtEnd)
        #expect(messages[1].header.serial == 8)
    }

    @Test("a big-endian message is read")
    func bigEndian() throws {
        // A call of Hello, as the specification's examples have it, in the other byte order.
        var bytes: [UInt8] = [0x42, 1, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0x29]
        bytes += [1, 1, 0x6F, 0, 0, 0, 0, 2] + Array("/a\0".utf8) + [0, 0, 0, 0, 0]
        bytes += [3, 1, 0x73, 0, 0, 0, 0, 1] + Array("M\0".utf8) + [0, 0]
        bytes += [0, 0, 0, 0] + [8, 1, 0x67, 0, 1, 0x73, 0]
        bytes[15] = UInt8(bytes.count - 16)
        while bytes.count % 8 != 0 { bytes.append(0) }
        bytes += [0, 0, 0, 3] + Array("abc\0".utf8)
        let message = try #require(try Samples.messages(in: bytes).first)
        var body = try #require(message.body)
        #expect(message.header.member == "M" && message.header.signature == "s")
        #expect(try body.string() == "abc")
    }

    @Test("a body that is larger than any secret is skipped, and the next message is read")
    func largeBody() throws {
        let large = Samples.call("SetAlias", signature: "ay") { writer in
            WireValue.bytes(SecretBox(SecretBytes(zeros: 3 << 20))).write(&writer)
        }
        let messages = try Samples.messages(in: large + Samples.call("Ping", serial: 2), by: 32_768)
        #expect(messages.map(\.header.serial) == [1, 2])
        #expect(messages[0].body == nil && messages[1].body != nil)
    }

    @Test("a message of an unknown kind, an unknown field and the number of descriptors end no connection")
    func unknown() throws {
        var unknown = Samples.call("Ping")
        unknown[1] = 5
        // A field 9 with the number 1, and an unknown one with a string.
        var fields = Samples.call("Ping", serial: 2)
        let end = (16 + Int(fields[12]) + 7) & -8
        fields.replaceSubrange(
            16 + Int(fields[12])..<end,
            with: Array(repeating: 0, count: end - 16 - Int(fields[12]))
                + [9, 1, 0x75, 0, 1, 0, 0, 0, 42, 1, 0x73, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 0, 0, 0, 0])
        fields[12] = UInt8(end - 16 + 18)
        let messages = try Samples.messages(in: unknown + fields)
        #expect(messages.map(\.header.kind) == [.other, .call])
        #expect(messages.map(\.header.serial) == [1, 2])
    }

    @Test("malformed messages end the connection")
    func malformed() {
        let good = Samples.call("Ping", interface: "org.freedesktop.DBus.Peer")
        #expect(throws: Never.self) { try Samples.messages(in: good) }
        func refuses(_ offset: Int, _ value: UInt8, _ comment: Comment) {
            var bytes = good
            bytes[offset] = value
            #expect(throws: WireError.self, comment) { try Samples.messages(in: bytes) }
        }
        refuses(0, 0x78, "byte order")
        refuses(1, 0, "kind")
        refuses(3, 2, "version")
        refuses(8, 0, "serial 0")
        refuses(7, 0xFF, "a body of 4 GB")
        refuses(15, 0x7F, "a header of 2 GB")
        refuses(14, 0x10, "a header of 1 MB")
    }

    @Test(
        "signatures",
        arguments: [
            ("", true), ("s", true), ("a{sv}(oayays)b", true), ("a{s(ao)}", true), ("a", false), ("a{sv", false),
            ("{sv}", false),
            ("()", false), ("(s", false), ("s)", false), ("a{vs}", false), ("a{sss}", false), ("z", false),
            ("ee", false),
            (String(repeating: "a", count: 32) + "y", true), (String(repeating: "a", count: 33) + "y", false),
            (String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32), true),
            (String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33), false),
            (String(repeating: "y", count: 255), true), (String(repeating: "y", count: 256), false),
        ])
    func signatures(text: String, isValid: Bool) {
        #expect((TypeSignature(text.utf8) != nil) == isValid)
    }

    @Test("object paths and their elements")
    func paths() {
        for path in ["/", "/a", "/a/B_9"] { #expect(ObjectPath.isValid(path)) }
        for path in ["", "a", "/a/", "//", "/a//b", "/a-b", "/é", "/a\0"] { #expect(!ObjectPath.isValid(path)) }
        for text in ["", "a", "_", "password:a:b", "é", "\0", "a_b", "%"] {
            let element = ObjectPath.element(text)
            #expect(ObjectPath.isValid("/\(element)"))
            #expect(ObjectPath.text(element) == text)
        }
        for element in ["_6", "_zz", "_61", "a_FF", "_c3"] { #expect(ObjectPath.text(element) == nil, "\(element)") }
    }

    @Test("nested variants are read up to a depth of 64, and no deeper")
    func depth() throws {
        func body(_ depth: Int) -> [UInt8] {
            Samples.call("Set", signature: "v") { writer in
                for _ in 1..<depth { writer.signature("v") }
                writer.signature("y")
                writer.byte(1)
            }
        }
        for (depth, isRead) in [(1, true), (64, true), (65, false), (200, false)] {
            var reader = try #require(try Samples.messages(in: body(depth)).first?.body)
            let signature = try #require(TypeSignature("v".utf8))
            let found = (try? reader.skip(signature)) != nil
            #expect(found == isRead, "\(depth)")
        }
    }
}
