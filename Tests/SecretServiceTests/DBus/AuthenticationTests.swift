import Testing

@testable import SecretService

@Suite("The authentication of D-Bus's clients")
struct AuthenticationTests {
    private func answers(_ text: String, isAllowed: Bool = true) throws -> (answers: [String], isDone: Bool) {
        var authentication = Authentication(guid: "0123", isAllowed: isAllowed)
        var answers: [String] = []
        for byte in text.utf8 { if let answer = try authentication.take(byte) { answers.append(answer) } }
        return (answers, authentication.isDone)
    }

    @Test("GDBus and godbus")
    func inTwoLines() throws {
        let lines = "\0AUTH\r\nAUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n"
        let (answers, isDone) = try answers(lines)
        #expect(
            answers == [
                "REJECTED EXTERNAL\r\n", "DATA\r\n", "OK 0123\r\n", "AGREE_UNIX_FD\r\n", "",
            ])
        #expect(isDone)
    }

    @Test("libdbus, jeepney, zbus and sd-bus")
    func inOneLine() throws {
        let (answers, isDone) = try answers("\0AUTH EXTERNAL 30\r\nBEGIN\r\n")
        #expect(answers == ["OK 0123\r\n", ""])
        #expect(isDone)
        #expect(try self.answers("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n").isDone)
    }

    @Test("another user is rejected, and nobody can begin without being accepted")
    func rejected() throws {
        let (answers, isDone) = try answers("\0AUTH EXTERNAL 30\r\nDATA\r\nBEGIN\r\n", isAllowed: false)
        #expect(answers == ["REJECTED EXTERNAL\r\n", "REJECTED EXTERNAL\r\n", "ERROR unknown command\r\n"])
        #expect(!isDone)
        #expect(try !self.answers("\0BEGIN\r\n").isDone)
        #expect(try !self.answers("\0AUTH ANONYMOUS\r\nBEGIN\r\n").isDone)
    }

    @Test("endless lines and a wrong beginning end the connection")
    func endless() {
        #expect(throws: WireError.self) { try answers("AUTH\r\n") }
        #expect(throws: WireError.self) { try answers("\0" + String(repeating: "A", count: 2_000)) }
        #expect(throws: WireError.self) { try answers("\0AUTH\n") }
    }
}
