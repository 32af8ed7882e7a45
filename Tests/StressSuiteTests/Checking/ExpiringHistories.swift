@testable import StressSuite

/// Histories of values that expire.
///
/// A value with a timeout of T seconds can expire from T - 1 seconds on, and is gone after T.
enum ExpiringHistories {
    static let right: NamedHistories = [
        "gone after T - 1 seconds": [call(1, .set(a1, timeout: 3), ms(0...1)), call(2, .read(nil), ms(2_000...2_001))],
        "still there after T seconds": [
            call(1, .set(a1, timeout: 3), ms(0...1)), call(2, .read(a1), ms(3_000...3_001)),
        ],
        "gone immediately with a timeout of 1 second": [
            call(1, .set(a1, timeout: 1), ms(0...1)), call(2, .read(nil), ms(1...2)),
        ],
        "expired before a slow write ends": [
            call(1, .set(a1, timeout: 1), ms(0...5_000)), call(2, .read(nil), ms(5_001...5_002)),
        ],
        "a late delete finds nothing": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(2, .remove(found: false), ms(1_500...1_501)),
        ],
        "an add after the expiry": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(2, .add(b1), ms(1_500...1_501)),
            call(3, .read(b1), ms(9_000...9_001)),
        ],
        "a new set has its own timeout": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(1, .set(a2, timeout: 9), ms(1_900...1_901)),
            call(3, .read(a2), ms(5_000...5_001)),
        ],
    ]

    static let wrong: NamedHistories = [
        "value that outlives its timeout": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(2, .read(a1), ms(2_100...2_101)),
        ],
        "value that outlives its timeout, seen by a list": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(2, .look(isThere: true), ms(2_100...2_101)),
        ],
        "value that outlives its timeout, deleted": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(2, .remove(found: true), ms(2_100...2_101)),
        ],
        "value that expires too early": [
            call(1, .set(a1, timeout: 3), ms(0...1)), call(2, .read(nil), ms(1_500...1_501)),
        ],
        "value that is back after it expired": [
            call(1, .set(a1, timeout: 3), ms(0...1)), call(2, .read(nil), ms(2_500...2_501)),
            call(2, .read(a1), ms(2_600...2_601)),
        ],
        "the old timeout removes the new value": [
            call(1, .set(a1, timeout: 2), ms(0...1)), call(1, .set(a2), ms(500...501)),
            call(2, .read(nil), ms(2_500...2_501)),
        ],
        "an update ignores the timeout": [
            call(1, .update(nil, a1, timeout: 2), ms(0...1)), call(2, .update(a1, b1, timeout: 2), ms(500...501)),
            call(3, .read(b1), ms(2_600...2_601)),
        ],
    ]
}
