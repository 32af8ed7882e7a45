import Foundation

/// Polls a condition for up to `seconds`, and returns whether it became true.
///
/// For changes that the kernel makes some time later.
package func becomesTrue(within seconds: Double = 5, _ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<Int(seconds * 500) {
        if try condition() { return true }
        usleep(2_000)
    }
    return try condition()
}
