import Keyutils
import Testing

@Suite("Hashes of bytes")
struct FNV1aTests {
    @Test(
        "the hash is 64-bit FNV-1a",
        arguments: [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)]
            as [(String, UInt64)])
    func hash(text: String, hash: UInt64) {
        #expect(FNV1a.hash(of: Array(text.utf8).span.bytes) == hash)
    }
}
