import Foundation

/// Asks again and again for up to `seconds`, and tells whether the answer ever was yes: for what the kernel does later.
package func becomesTrue(within seconds: Double = 5, _ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<Int(seconds * 500) {
        if try condition() { return true }
        usleep(2_000)
    }
    return try condition()
}
