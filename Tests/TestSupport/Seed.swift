import Foundation

/// The seed of this run's random choices.
///
/// Printed by the tests that use it; set `SKR_TEST_SEED` to replay a failure.
package let testSeed: UInt64 =
    ProcessInfo.processInfo.environment["SKR_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)

/// SplitMix64: repeatable random numbers.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64, stream: Int = 0) {
        state = seed &+ UInt64(bitPattern: Int64(stream)) &* 0x9E37_79B9_7F4A_7C15
        // Streams that follow one another have states in common until they are mixed.
        state = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
