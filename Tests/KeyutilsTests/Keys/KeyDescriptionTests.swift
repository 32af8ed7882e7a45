import Keyutils
import Testing

@Suite("Descriptions as the kernel writes them")
struct KeyDescriptionTests {
    private func parse(_ text: String) throws(KeyringError) -> KeyDescription {
        try KeyDescription(parsing: Array(text.utf8))
    }

    @Test("the five fields are parsed")
    func fields() throws {
        let description = try parse("user;1000;100;3f010000;my key")
        #expect(description.type == .user)
        #expect(description.userID == 1000)
        #expect(description.groupID == 100)
        #expect(description.permissions == [.possessorAll, .userView])
        #expect(description.name == "my key")
        #expect(description.isExact)
    }

    @Test("further semicolons belong to the name", arguments: ["a;b;;c;", ";", ";;;;;;;", "", " ", "ключ;\n;🔑"])
    func semicolons(_ name: String) throws {
        let description = try parse("keyring;0;0;3f3f0000;\(name)")
        #expect(description.name == name)
        #expect(description.isExact)
    }

    @Test("an empty type is accepted")
    func emptyType() throws {
        #expect(try parse(";0;0;00000000;x").type == KeyType(rawValue: ""))
    }

    @Test("invalid UTF-8 in a name is replaced, and the name is marked as not exact")
    func invalidUTF8() throws {
        let description = try KeyDescription(parsing: Array("user;0;0;3f010000;a".utf8) + [0xff, 0x62])
        #expect(description.name == "a\u{fffd}b")
        #expect(!description.isExact)
    }

    @Test("a user or group id above 2,147,483,647, which the kernel prints as negative, is parsed")
    func largeUser() throws {
        let description = try parse("user;-6;-2147483648;3f010000;x")
        #expect(description.userID == 4_294_967_290)
        #expect(description.groupID == 2_147_483_648)
        #expect(try parse("user;4294967290;0;3f010000;x").userID == 4_294_967_290)
    }

    @Test(
        "a malformed description is refused",
        arguments: [
            "", "user", "user;0;0;3f010000", "user;;0;3f010000;x", "user;0;;3f010000;x", "user;0;0;;x",
            "user;a;0;3f010000;x", "user;0;b;3f010000;x", "user;0;0;3g;x", "user;0;0;13f010000;x",
            "user;99999999999;0;3f010000;x", "user;0;99999999999;3f010000;x", "user;-2147483649;0;3f010000;x",
            "user;00000000001;0;3f010000;x", "user;0;0;0003f010000;x", "user;-;0;3f010000;x",
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: KeyringError(.invalidArgument, in: .describe)) { try parse(text) }
    }
}
