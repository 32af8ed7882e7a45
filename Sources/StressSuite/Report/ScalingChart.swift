/// What more threads, or more processes, add.
struct ScalingChart {
    private static let width = 360.0
    private static let height = 236.0
    private static let left = 46.0
    private static let right = 346.0
    private static let top = 24.0
    private static let bottom = 190.0

    let title: String
    let points: [(workers: Int, rate: Double)]
    let processors: Int

    /// The points where only the threads, or only the processes, differ.
    init(title: String, points: [ScalingPoint], processors: Int, workers: (ScalingPoint) -> Int) {
        self.title = title
        self.processors = max(1, processors)
        self.points = points.filter { $0.rate.isFinite && $0.threads * $0.processes == workers($0) }
            .map { (workers: workers($0), rate: $0.rate) }.sorted { $0.workers < $1.workers }
    }

    var markup: Markup {
        let ideal = ideal
        let most = (points.map(\.rate) + ideal.map(\.rate)).max() ?? 0
        let rate = Scale.linear(
            upTo: most, in: Self.top...Self.bottom, isReversed: true, leastStep: 1, label: Figures.short)
        // Each step doubles, so that they stand evenly on a logarithmic scale.
        let workers = Scale.logarithmic(
            from: Double(points.first?.workers ?? 1) * 0.8, to: Double(points.last?.workers ?? 8) * 1.25,
            in: Self.left...Self.right, label: { _ in "" })
        var drawing = Drawing(width: Self.width, height: Self.height)
        drawAxes(in: &drawing, workers: workers, rate: rate)
        drawing.path("ideal", through: ideal.map { (workers(Double($0.workers)), rate($0.rate)) })
        drawing.path("series", through: points.map { (workers(Double($0.workers)), rate($0.rate)) })
        for point in points {
            let place = (x: workers(Double(point.workers)), y: rate(point.rate))
            drawing.circle("dot", at: place, radius: 4, tip: "\(point.workers): \(Figures.rate(point.rate)) a second")
            drawing.text("value", Figures.short(point.rate), at: (place.x, place.y + 20), anchor: .middle)
        }
        return drawing.markup(title: "Scaling over \(title)", description: description)
    }

    /// As if each worker added as much as the first one, up to the number of processors.
    private var ideal: [(workers: Int, rate: Double)] {
        guard let first = points.first, first.workers == 1 else { return [] }
        return points.map { (workers: $0.workers, rate: first.rate * Double(min($0.workers, processors))) }
    }

    private func drawAxes(in drawing: inout Drawing, workers: Scale, rate: Scale) {
        for tick in rate.ticks {
            let y = rate(tick.value)
            drawing.line(tick.value == 0 ? "axis" : "grid", from: (Self.left, y), to: (Self.right, y))
            drawing.text("label", tick.label, at: (Self.left - 6, y + 4), anchor: .end)
        }
        for point in points {
            drawing.text(
                "label", "\(point.workers)", at: (workers(Double(point.workers)), Self.bottom + 18), anchor: .middle)
        }
        drawing.text("label", title, at: ((Self.left + Self.right) / 2, Self.bottom + 36), anchor: .middle)
    }

    private var description: String {
        let values = points.map { "\($0.workers): \(Figures.rate($0.rate))" }.joined(separator: ", ")
        return "Calls a second with so many \(title): \(values). The dashed line is what \(processors) "
            + "processor\(processors == 1 ? "" : "s") would give if nothing were shared."
    }
}
