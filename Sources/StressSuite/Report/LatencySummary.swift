import Histogram

/// How long calls took, in nanoseconds.
package struct LatencySummary: Codable, Sendable {
    /// How many calls took from so long to so long.
    package struct Bar: Codable, Sendable, Equatable {
        package var from: UInt64
        package var to: UInt64
        package var count: Int

        package init(from: UInt64, to: UInt64, count: Int) {
            self.from = from
            self.to = to
            self.count = count
        }
    }

    package var count: Int
    package var mean: Double
    package var least: UInt64
    package var p50: UInt64
    package var p90: UInt64
    package var p99: UInt64
    package var p999: UInt64
    package var most: UInt64
    /// Without gaps, each about a fifth wider than the one before: even on a logarithmic scale.
    package var bars: [Bar]

    package init(
        count: Int,
        mean: Double,
        least: UInt64,
        p50: UInt64,
        p90: UInt64,
        p99: UInt64,
        p999: UInt64,
        most: UInt64,
        bars: [Bar]
    ) {
        self.count = count
        self.mean = mean
        self.least = least
        self.p50 = p50
        self.p90 = p90
        self.p99 = p99
        self.p999 = p999
        self.most = most
        self.bars = bars
    }

    init(_ histogram: Histogram<UInt32>) {
        count = Int(histogram.totalCount)
        mean = count == 0 ? 0 : histogram.mean
        least = count == 0 ? 0 : histogram.min
        p50 = histogram.valueAtPercentile(50)
        p90 = histogram.valueAtPercentile(90)
        p99 = histogram.valueAtPercentile(99)
        p999 = histogram.valueAtPercentile(99.9)
        most = count == 0 ? 0 : histogram.max
        bars = Self.bars(of: histogram)
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
