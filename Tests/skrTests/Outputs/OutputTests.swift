import CommandSupport
import SecretText
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import skr

@Suite("Outputs of commands")
struct OutputTests {
    @Test("a remembered failure with exit code 0, which is forged, is ignored", arguments: [0, 3] as [Int32])
    func forged(exitCode: Int32) throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.cached("token")
        let failure = Output(exitCode: exitCode, SecretBox(SecretBytes(utf8: "forged")))
        try failure.remember(for: .seconds(60), as: item, of: 7, in: store)
        #expect(try Output.read(item, of: 7, in: store)?.exitCode == (exitCode == 0 ? nil : exitCode))
    }

    @Test("a refused output is not printed again")
    func refused() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.cached("token")
        let policy = OutputPolicy(isUnchanged: true) { printed, timeout in (Output(printed), timeout) }
        let request = OutputRequest(
            place: try Place(), item: item, timeout: nil, command: CommandLineWords(leaking: ["date", "+%N"]),
            policy: policy)
        func answer() throws -> Output {
            try #require(try request.fetched(in: store).output)
        }
        func isEqual(_ left: Output, _ right: Output) -> Bool {
            left.bytes.bytes.isEqual(to: right.bytes.bytes)
        }
        let first = try answer()
        let again = try answer()
        #expect(isEqual(again, first))
        let known = try #require(try store.backend.readWithFacts(item) { _ in })
        #expect(try store.backend.changeFacts(of: item, known, Effort()) { $0.isRefused = true }.get())
        let failure = Output(exitCode: 3, SecretBox(SecretBytes(utf8: "failed")))
        try failure.remember(for: .seconds(60), as: item, of: request.command.hash, in: store)
        #expect(try answer().exitCode == 3)
        try store.delete(item.failure)
        let second = try answer()
        #expect(!isEqual(second, first))
    }

    @Test("a command that runs for longer than its limit is ended, which is an error with 75")
    func limit() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let sleep = "sleep 85.\(UInt32.random(in: 1..<1_000_000))"
        let words = CommandLineWords(leaking: ["sh", "-c", "\(sleep) & \(sleep)"])
        let request = OutputRequest(
            place: try Place(), item: .cached("token"), timeout: .never, limit: .milliseconds(200), command: words,
            policy: OutputPolicy(isUnchanged: true) { printed, timeout in (Output(printed), timeout) })
        let error = #expect(throws: CommandError.self) { try request.fetched(in: store) }
        #expect(error?.exitCode == .tryAgain)
        #expect(error?.message == "'sh' ran for more than 0s")
        #expect(try CommandRunner().shell("pgrep -cxf '\(sleep)'").output == "0\n")
    }
}
