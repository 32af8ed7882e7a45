import Foundation

/// The median of samples, and how far the middle half of them lies apart.
struct Spread {
    let low: Double
    let median: Double
    let high: Double

    /// - Parameter samples: at least one.
    init(_ samples: [Double]) {
        let sorted = samples.sorted()
        func quantile(_ share: Double) -> Double { sorted[Int((Double(sorted.count - 1) * share).rounded())] }
        low = quantile(0.25)
        median = quantile(0.5)
        high = quantile(0.75)
    }
}

extension Spread: CustomStringConvertible {
    var description: String { String(format: "%.3f (%.2f to %.2f)", median, low, high) }
}

extension Spread {
    func scaled(by factor: Double) -> Spread {
        Spread(low: low * factor, median: median * factor, high: high * factor)
    }

    private init(low: Double, median: Double, high: Double) {
        self.low = low
        self.median = median
        self.high = high
    }
}
