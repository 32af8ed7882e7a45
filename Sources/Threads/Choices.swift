/// A SplitMix64 generator of one worker's random choices, which depend only on the seed and the stream.
package struct Choices: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64, stream: UInt64 = 0) {
        var start = Choices(state: seed)
        state = start.next() &+ stream &* 0xD1B5_4A32_D192_ED03
    }

    private init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, the limit.
    package mutating func below(_ limit: Int) -> Int {
        Int(next() % UInt64(limit))
    }
}
