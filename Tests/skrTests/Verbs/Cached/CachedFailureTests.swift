import SecretText
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import skr

@Suite("Remembered failures of commands")
struct CachedFailureTests {
    @Test("a remembered failure with exit code 0, which is forged, is ignored", arguments: [0, 3] as [Int32])
    func forged(exitCode: Int32) throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.cached("token")
        let failure = CachedAnswer(exitCode: exitCode, output: SecretBox(SecretBytes(utf8: "forged")))
        try failure.remember(for: .seconds(60), as: item, of: 7, in: store)
        #expect(try CachedAnswer.read(item, of: 7, in: store)?.exitCode == (exitCode == 0 ? nil : exitCode))
    }
}
