import Histogram
import Keyutils

/// The latencies of calls, in nanoseconds.
package struct LatencySummary: Codable, Sendable {
    /// How many calls had a latency in this range.
    package struct Bar: Codable, Sendable, Equatable {
        package var from: UInt64
        package var to: UInt64
        package var count: Int
    }

    package var count: Int
    package var mean: Double
    package var least: UInt64
    package var p50: UInt64
    package var p90: UInt64
    package var p99: UInt64
    package var p999: UInt64
    package var most: UInt64
    /// The bars of a histogram, without gaps between them.
    ///
    /// Each bar is about a fifth wider than the previous one, so that they are even on a logarithmic scale.
    package var bars: [Bar]
}

extension LatencySummary {
    /// Summarizes the latencies of at least one call.
    init(_ histogram: Histogram<UInt32>) {
        self.init(
            count: Int(histogram.totalCount), mean: histogram.mean, least: histogram.min,
            p50: histogram.valueAtPercentile(50), p90: histogram.valueAtPercentile(90),
            p99: histogram.valueAtPercentile(99), p999: histogram.valueAtPercentile(99.9),
            most: histogram.max, bars: Self.bars(of: histogram))
    }

    private static func bars(of histogram: Histogram<UInt32>) -> [Bar] {
        var bars: [Bar] = []
        for step in histogram.recordedValues() {
            var from = bars.last?.to ?? lowerBound(of: step.value)
            while step.value >= upperBound(from) {
                if !bars.isEmpty { bars.append(Bar(from: from, to: upperBound(from), count: 0)) }
                from = upperBound(from)
            }
            if let last = bars.indices.last, step.value < bars[last].to {
                bars[last].count += Int(step.count)
            } else {
                bars.append(Bar(from: from, to: upperBound(from), count: Int(step.count)))
            }
        }
        return bars
    }

    private static func lowerBound(of value: UInt64) -> UInt64 {
        var bound: UInt64 = 10
        while upperBound(bound) <= value { bound = upperBound(bound) }
        return value < 10 ? 0 : bound
    }

    private static func upperBound(_ from: UInt64) -> UInt64 {
        max(from + 1, from + from / 5)
    }
}
