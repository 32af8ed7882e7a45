/// What more threads, or more processes, add.
struct ScalingChart {
    private static let width = 360.0
    private static let height = 236.0
    private static let left = 46.0
    private static let right = 346.0
    private static let top = 24.0
    private static let bottom = 190.0

    let title: String
    let points: [(actors: Int, rate: Double)]
    let processors: Int

    /// The points where only the threads, or only the processes, differ.
    init(title: String, points: [ScalingPoint], processors: Int, actors: (ScalingPoint) -> Int) {
        self.title = title
        self.processors = max(1, processors)
        self.points = points.filter { $0.rate.isFinite && $0.threads * $0.processes == actors($0) }
            .map { (actors: actors($0), rate: $0.rate) }.sorted { $0.actors < $1.actors }
    }

    var markup: Markup {
        let ideal = ideal
        let most = (points.map(\.rate) + ideal.map(\.rate)).max() ?? 0
        let rate = Scale.linear(
            upTo: most, in: Self.top...Self.bottom, isReversed: true, leastStep: 1, label: Figures.short)
        // Each step doubles, so that they stand evenly on a logarithmic scale.
        let actors = Scale.logarithmic(
            from: Double(points.first?.actors ?? 1) * 0.8, to: Double(points.last?.actors ?? 8) * 1.25,
            in: Self.left...Self.right, label: { _ in "" })
        var drawing = Drawing(width: Self.width, height: Self.height)
        drawAxes(in: &drawing, actors: actors, rate: rate)
        drawing.path("ideal", through: ideal.map { (actors(Double($0.actors)), rate($0.rate)) })
        drawing.path("series", through: points.map { (actors(Double($0.actors)), rate($0.rate)) })
        for point in points {
            let place = (x: actors(Double(point.actors)), y: rate(point.rate))
            drawing.circle("dot", at: place, radius: 4, tip: "\(point.actors): \(Figures.rate(point.rate)) a second")
            drawing.text("value", Figures.short(point.rate), at: (place.x, place.y + 20), anchor: .middle)
        }
        return drawing.markup(title: "Scaling over \(title)", description: description)
    }

    /// As if each actor added as much as the first one, up to the number of processors.
    private var ideal: [(actors: Int, rate: Double)] {
        guard let first = points.first, first.actors == 1 else { return [] }
        return points.map { (actors: $0.actors, rate: first.rate * Double(min($0.actors, processors))) }
    }

    private func drawAxes(in drawing: inout Drawing, actors: Scale, rate: Scale) {
        for tick in rate.ticks {
            let y = rate(tick.value)
            drawing.line(tick.value == 0 ? "axis" : "grid", from: (Self.left, y), to: (Self.right, y))
            drawing.text("label", tick.label, at: (Self.left - 6, y + 4), anchor: .end)
        }
        for point in points {
            drawing.text(
                "label", "\(point.actors)", at: (actors(Double(point.actors)), Self.bottom + 18), anchor: .middle)
        }
        drawing.text("label", title, at: ((Self.left + Self.right) / 2, Self.bottom + 36), anchor: .middle)
    }

    private var description: String {
        let values = points.map { "\($0.actors): \(Figures.rate($0.rate))" }.joined(separator: ", ")
        return "Calls a second with so many \(title): \(values). The dashed line is what \(processors) "
            + "processor\(processors == 1 ? "" : "s") would give if nothing were shared."
    }
}
