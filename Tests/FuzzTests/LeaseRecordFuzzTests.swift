import SessionKeyring
import TestSupport
import Testing
import Threads

@Suite("Fuzzing: lease records", .tags(.long))
struct LeaseRecordFuzzTests {
    @Test("random bytes are refused, or parsed as a record that can be checked and written back")
    func records() {
        Fuzzer.forEach("lease records") { random in
            var words = (0..<8).map { _ in Self.word(&random) }
            if Int.random(in: 0..<8, using: &random) > 0 { words[0] = 0x0001_736B_722D_6C73 }
            var bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
            if Int.random(in: 0..<16, using: &random) == 0 { bytes.removeLast(Int.random(in: 0...64, using: &random)) }
            guard let record = LeaseRecord(payload: bytes.span.bytes) else {
                return bytes.count == 64 && words[0] == 0x0001_736B_722D_6C73 ? "refused: \(bytes)" : nil
            }
            _ = record.isOver
            let again = try? record.withPayload { LeaseRecord(payload: $0) }
            return again == record ? nil : "written back differently: \(bytes)"
        }
    }

    /// Returns a small number, a number at the end of a type's range, or any number.
    private static func word(_ random: inout Choices) -> UInt64 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: UInt64.random(in: 0...70_000, using: &random)
        case 1:
            [UInt64.max, 1 << 63, (1 << 63) - 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF].randomElement(using: &random)
                ?? 0
        default: UInt64.random(in: 0...UInt64.max, using: &random)
        }
    }
}
