/// The throughput in so many slices that a drawing has room for them.
struct ThroughputSeries {
    struct Slice {
        var from: Double
        var to: Double
        var rate: Double
        var errorRate: Double
        var kills: Int
    }

    private(set) var slices: [Slice]
    /// When the last slice ends.
    let end: Double

    init(_ points: [ThroughputPoint], seconds: Double, most: Int) {
        var points = points.filter { $0.second.isFinite && $0.rate.isFinite && $0.errorRate.isFinite }
        let width = points.count > 1 ? points[1].second - points[0].second : 1e-3
        let wholeEnd = (points.last?.second ?? 0) + width
        // Of the last slice the run has but a part, in which all calls return that were in flight: its rate tells nothing.
        let partial = points.count > 1 && seconds < wholeEnd - width / 100 ? points.removeLast() : nil
        end = partial?.second ?? max(seconds.isFinite ? seconds : 0, wholeEnd)
        let group = max(1, (points.count + most - 1) / max(1, most))
        let end = self.end
        slices = stride(from: 0, to: points.count, by: group).map { start in
            let part = points[start..<min(start + group, points.count)]
            let next = part.endIndex < points.count ? points[part.endIndex].second : end
            let count = Double(part.count)
            return Slice(
                from: part[start].second, to: next, rate: part.reduce(0) { $0 + $1.rate } / count,
                errorRate: part.reduce(0) { $0 + $1.errorRate } / count, kills: part.reduce(0) { $0 + $1.kills })
        }
        if let partial { slices[slices.count - 1].kills += partial.kills }
    }
}
