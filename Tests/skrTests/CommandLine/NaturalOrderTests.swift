import Testing

import skr

@Suite("Names in natural order")
struct NaturalOrderTests {
    @Test("runs of digits are compared as numbers of any size, and everything else by its bytes")
    func order() {
        let long = String(repeating: "9", count: 5_000)
        let names = [
            "", "0", "00", "01", "1", "2", "10", "10a", "10a2", "10a10", "\(long)8", "\(long)9", "1\(long)0", "A", "a",
            "a1",
            "a1.9", "a1.10", "a01.11", "a2", "ab", "svc", "svc-1", "svc-2", "svc-02b", "svc-10", "svc-10x", "svc-a",
            "é",
            "日2", "日10",
        ]
        for (i, left) in names.enumerated() {
            for (j, right) in names.enumerated() {
                #expect(NaturalOrder.isOrdered(left, right) == (i < j), "\(left.prefix(9)) and \(right.prefix(9))")
            }
        }
    }

    @Test("the order is total for any three names: irreflexive, antisymmetric and transitive")
    func total() {
        var generator = SystemRandomNumberGenerator()
        func name() -> String {
            String(
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in "0019a-é".randomElement(using: &generator)! })
        }
        for _ in 0..<20_000 {
            let (a, b, c) = (name(), name(), name())
            #expect(!NaturalOrder.isOrdered(a, a))
            let isSame = a.utf8.elementsEqual(b.utf8)
            #expect(isSame || NaturalOrder.isOrdered(a, b) != NaturalOrder.isOrdered(b, a), "\(a) \(b)")
            if NaturalOrder.isOrdered(a, b), NaturalOrder.isOrdered(b, c) {
                #expect(NaturalOrder.isOrdered(a, c), "\(a) \(b) \(c)")
            }
        }
    }

    @Test("list uses this order in a pipe, as JSON and on a terminal")
    func list() throws {
        let store =
            "for name in svc-10 svc-2 svc-1 svc; do printf 1 | skr set $name; done; printf 1 | skr set svc-2 u-10; printf 1 | skr set svc-2 u-9"
        let expected = ["svc ", "svc-1 ", "svc-2 ", "svc-2 u-9", "svc-2 u-10", "svc-10 "]
        let outcome = try CommandRunner().inSession(
            #"\#(store); skr list; skr list --json | jq -r '.[] | "json\t\(.service)\t\(.account)"'"#)
        let lines = outcome.output.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        #expect(lines.map { "\($0[1]) \($0[2])" } == expected + expected)
        let shown = try TerminalRunner().run("\(store); skr list").split(separator: "\n")
            .filter { $0.hasPrefix("password") }.map { $0.split(separator: " ")[1...2].joined(separator: " ") }
        #expect(shown == ["svc 1", "svc-1 1", "svc-2 1", "svc-2 u-9", "svc-2 u-10", "svc-10 1"])
    }
}
