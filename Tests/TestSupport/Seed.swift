import Foundation

/// The seed of this run's random choices.
///
/// The tests that use it print it. Set `SKR_TEST_SEED` to replay a failure.
package let testSeed: UInt64 =
    ProcessInfo.processInfo.environment["SKR_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
