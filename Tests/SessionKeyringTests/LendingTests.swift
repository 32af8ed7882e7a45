import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Lending an item's bytes", .tags(.kernel))
struct LendingTests {
    private struct Failure: Error {}

    @Test("a closure can throw, and its error is rethrown unchanged")
    func throwing() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let item = ItemIdentity.password(service: "a")
        func count(_ bytes: RawSpan) throws -> Int {
            guard bytes.byteCount < 3 else { throw Failure() }
            return bytes.byteCount
        }
        #expect(try store.withBytes(of: item) { bytes in try count(bytes) } == nil)
        try store.set("ab", for: item)
        #expect(try store.withBytes(of: item) { bytes in try count(bytes) } == 2)
        try store.set("abc", for: item)
        #expect(throws: Failure.self) { try store.withBytes(of: item) { bytes in try count(bytes) } }
    }
}
