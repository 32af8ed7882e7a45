import Foundation

/// The median of samples, and the range of the middle half of them.
struct Spread: CustomStringConvertible {
    let low: Double
    let median: Double
    let high: Double

    init(_ samples: [Double], scale: Double = 1) {
        low = samples.quantile(0.25) * scale
        median = samples.quantile(0.5) * scale
        high = samples.quantile(0.75) * scale
    }

    var description: String { String(format: "%.3f (%.2f to %.2f)", median, low, high) }
}

extension [Double] {
    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Int((Double(count - 1) * share).rounded())]
    }
}

extension Double {
    func fixed(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

extension Duration {
    var nanoseconds: Double { self / .nanoseconds(1) }
}
