/// The throughput in so many slices that a drawing has room for them.
struct ThroughputSeries {
    struct Slice {
        var from: Double
        var to: Double
        var rate: Double
        var errorRate: Double
        var kills: Int

        var middle: Double { (from + to) / 2 }
    }

    let slices: [Slice]
    /// When the last slice ends.
    let end: Double

    init(_ points: [ThroughputPoint], seconds: Double, most: Int) {
        let points = points.filter { $0.second.isFinite && $0.rate.isFinite && $0.errorRate.isFinite }
        let lastWidth = points.count > 1 ? points[points.count - 1].second - points[points.count - 2].second : 0
        end = max(seconds.isFinite ? seconds : 0, (points.last?.second ?? 0) + max(lastWidth, 1e-3))
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
    }
}
