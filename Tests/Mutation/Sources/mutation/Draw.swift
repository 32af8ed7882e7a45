/// Chooses mutants by a seed: the same ones as long as the code near them stays the same.
enum Draw {
    /// Returns `count` mutants of each target, in an order that the seed decides; no two of them overlap.
    static func draw(_ count: Int, of mutants: [Mutant], targets: [String], seed: UInt64) -> [Mutant] {
        var taken: [String: [Range<Int>]] = [:]
        var ordinals: [String: Int] = [:]
        let ordered = mutants.map { mutant in
            ordinals[mutant.name, default: 0] += 1
            return (mutant: mutant, rank: hash("\(seed) \(mutant.name) \(ordinals[mutant.name] ?? 0)"))
        }.sorted { $0.rank < $1.rank }
        return targets.flatMap { target in
            var chosen: [Mutant] = []
            for (mutant, _) in ordered where mutant.target == target && chosen.count < count {
                let isFree = taken[mutant.file, default: []].allSatisfy { !overlap($0, mutant.bytes) }
                guard isFree else { continue }
                taken[mutant.file, default: []].append(mutant.bytes)
                chosen.append(mutant)
            }
            return chosen
        }
    }

    private static func overlap(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        a == b || a.overlaps(b) || a.isEmpty && b.contains(a.lowerBound) && a.lowerBound != b.lowerBound
            || b.isEmpty && a.contains(b.lowerBound) && a.lowerBound != b.lowerBound
    }

    /// FNV-1a, which stays the same from run to run.
    private static func hash(_ text: String) -> UInt64 {
        var value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        // The upper bits barely differ for texts that differ only at their end.
        value = (value ^ (value >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return value ^ (value >> 33)
    }
}
