import Foundation
import Keyutils
import TestSupport
import Testing
import Threads

@testable import SecretService

@Suite("Powers modulo the Oakley prime")
struct OakleyNumberTests {
    /// Random numbers and corner cases.
    ///
    /// Most exponents are short, because each of their bytes takes the same steps, and a debug build is slow.
    private func cases(_ count: Int) -> [(base: [UInt8], exponent: [UInt8])] {
        print("random powers: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 27)
        let corners: [[UInt8]] = [
            [2], [0, 0, 3], Array(repeating: 0, count: 127) + [255], [1] + Array(repeating: 0, count: 127),
            Array(repeating: 255, count: 8) + [0xC9] + Array(repeating: 0, count: 119),
        ]
        return (0..<count).map { number in
            let base =
                number < corners.count
                ? corners[number]
                : (0..<Int.random(in: 1...128, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            let length = Int.random(in: 1...(number % 8 == 0 ? 32 : 4), using: &random)
            let exponent = (0..<length).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            return (base, exponent)
        }
    }

    @Test("10,000 powers are those of Python's pow", .tags(.long))
    func many() throws { try compare(10_000) }

    @Test("powers are those of Python's pow")
    func some() throws { try compare(16) }

    private func compare(_ count: Int) throws {
        let cases = cases(count)
        let lines = cases.map { "\(hexadecimal($0.base)) \(hexadecimal($0.exponent))\n" }.joined()
        let script = """
            import sys
            p = int("FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
                "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
                "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF", 16)
            for line in sys.stdin:
                base, exponent = (int(word, 16) for word in line.split())
                print("%0256x" % pow(base, exponent, p) if 2 <= base <= p - 2 else "none")
            """
        let outcome = try ChildProcess.run(
            "/usr/bin/python3", ["-c", script], environment: [], input: Data(lines.utf8))
        let expected = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(expected.count == count)
        for (number, (base, exponent)) in cases.enumerated() {
            var found = "none"
            if let power = OakleyNumber.power(base.span.bytes, exponent.span.bytes) {
                found = power.withBytes { $0.withUnsafeBytes { hexadecimal(Array($0)) } }
            }
            #expect(found == expected[number], "case \(number)")
        }
    }

    @Test("numbers outside of the group are refused")
    func refused() {
        let prime =
            "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
            + "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
            + "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFF"
        for base in ["00", "01", prime + "E", prime + "F", "01" + prime + "F", "00" + prime + "E"] {
            #expect(!isPossible(base), "\(base)")
        }
        for base in ["02", prime + "D", "0000" + prime + "D"] {
            #expect(isPossible(base), "\(base)")
        }
    }

    private func isPossible(_ base: String) -> Bool {
        let (base, exponent): ([UInt8], [UInt8]) = (bytes(base), [3])
        return OakleyNumber.power(base.span.bytes, exponent.span.bytes) != nil
    }

    private func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
