import CommandSupport
import SecretText
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import skr

@Suite("Outputs and failures that are not used")
struct CachedFailureTests {
    @Test("a remembered failure with exit code 0, which is forged, is ignored", arguments: [0, 3] as [Int32])
    func forged(exitCode: Int32) throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.cached("token")
        let failure = CachedAnswer(exitCode: exitCode, output: SecretBox(SecretBytes(utf8: "forged")))
        try failure.remember(for: .seconds(60), as: item, of: 7, in: store)
        #expect(try CachedAnswer.read(item, of: 7, in: store)?.exitCode == (exitCode == 0 ? nil : exitCode))
    }

    @Test("a refused output is not printed again")
    func refused() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.cached("token")
        let action = CachedAction(
            place: try Place(), item: item, timeout: nil, command: CommandLineWords(leaking: ["date", "+%N"]))
        func answer() throws -> CachedAnswer {
            try #require(try action.fetched(in: store).answer)
        }
        func isEqual(_ left: CachedAnswer, _ right: CachedAnswer) -> Bool {
            left.output.bytes.isEqual(to: right.output.bytes)
        }
        let first = try answer()
        let again = try answer()
        #expect(isEqual(again, first))
        let known = try #require(try store.backend.readWithFacts(item) { _ in })
        #expect(try store.backend.refuse(item, known, Effort()).get())
        let failure = CachedAnswer(exitCode: 3, output: SecretBox(SecretBytes(utf8: "failed")))
        try failure.remember(for: .seconds(60), as: item, of: action.command.hash, in: store)
        #expect(try answer().exitCode == 3)
        try store.delete(item.failure)
        let second = try answer()
        #expect(!isEqual(second, first))
    }
}
