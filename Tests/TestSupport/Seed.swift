import Foundation

/// The seed of this run's random choices.
///
/// Printed by the tests that use it; set `SKR_TEST_SEED` to replay a failure.
package let testSeed: UInt64 =
    ProcessInfo.processInfo.environment["SKR_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
