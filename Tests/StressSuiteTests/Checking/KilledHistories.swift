@testable import StressSuite

/// Histories with calls during which the worker was killed.
///
/// Such a call may or may not have taken effect. It takes effect at most once, and before the worker is dead.
enum KilledHistories {
    static let right: NamedHistories = [
        "set that nobody sees": [killed(1, .set(a1), 0...5), call(2, .read(nil), 6...7)],
        "set that somebody sees": [killed(1, .set(a1), 0...5), call(2, .read(a1), 6...7)],
        "set that takes effect late, but before the process is dead": [
            killed(1, .set(a1), 0...5), call(2, .read(nil), 1...2), call(2, .read(a1), 6...7),
        ],
        "delete that took effect": [
            call(1, .set(a1), 0...1), killed(2, .remove(found: nil), 2...5), call(3, .read(nil), 6...7),
        ],
        "delete that did not take effect": [
            call(1, .set(a1), 0...1), killed(2, .remove(found: nil), 2...5), call(3, .read(a1), 6...7),
        ],
        "two updates of the same value": [
            call(1, .set(a1), 0...1), killed(2, .change(to: b1, timeout: nil), 2...5), call(3, .update(a1, c1), 3...4),
            call(3, .read(c1), 6...7),
        ],
        "add that found an item and did nothing": [call(1, .set(a1), 0...1), killed(2, .add(b1), 2...3)],
        "a get without a result": [killed(1, .read(a1), 0...1)],
    ]

    static let wrong: NamedHistories = [
        "set that took effect after the process was dead": [
            killed(1, .set(a1), 0...5), call(2, .read(nil), 6...7), call(2, .read(a1), 8...9),
        ],
        "set that took effect twice": [
            killed(1, .set(a1), 0...9), call(2, .read(a1), 1...2), call(2, .remove(found: true), 3...4),
            call(2, .read(nil), 5...6), call(2, .read(a1), 7...8),
        ],
        "one clear for two disappearances": [
            call(1, .set(a1), 0...1), killed(2, .wipe, 2...20), call(3, .read(nil), 3...4), call(3, .set(c1), 5...6),
            call(3, .read(nil), 7...8),
        ],
        "add although the item existed all the time": [
            call(1, .set(a1), 0...1), killed(2, .add(b1), 2...5), call(3, .read(b1), 6...7),
        ],
        "clear that took effect after the process was dead": [
            call(1, .set(a1), 0...1), killed(2, .wipe, 2...5), call(3, .read(a1), 6...7), call(3, .read(nil), 8...9),
        ],
    ]
}
