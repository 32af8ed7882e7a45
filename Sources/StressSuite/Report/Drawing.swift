/// An SVG picture that grows piece by piece; colours and fonts are the style sheet's, by class.
struct Drawing {
    enum Anchor: String {
        case start, middle, end
    }

    let width: Double
    let height: Double
    private var pieces: [Markup] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The picture, with what it shows in words.
    func markup(title: String, description: String, class name: String = "") -> Markup {
        .make(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(number(width)) \(number(height))",
                "role": "img",
                "class": "plot \(name)", "aria-label": "\(title). \(description)",
            ],
            [.make("title", title), .make("desc", description)] + pieces)
    }

    mutating func line(_ name: String, from start: (x: Double, y: Double), to end: (x: Double, y: Double)) {
        pieces.append(
            .make(
                "line",
                [
                    "class": name, "x1": number(start.x), "y1": number(start.y), "x2": number(end.x),
                    "y2": number(end.y),
                ]))
    }

    /// - Parameter tip: what a pointer that rests on it is told.
    mutating func rectangle(
        _ name: String,
        x: Double,
        y: Double,
        width: Double,
        height: Double,
        tip: String? = nil
    ) {
        let title = tip.map { [Markup.make("title", $0)] } ?? []
        pieces.append(
            .make(
                "rect",
                [
                    "class": name, "x": number(x), "y": number(y), "width": number(max(0, width)),
                    "height": number(max(0, height)),
                ], title))
    }

    mutating func circle(_ name: String, at centre: (x: Double, y: Double), radius: Double, tip: String? = nil) {
        let title = tip.map { [Markup.make("title", $0)] } ?? []
        pieces.append(
            .make(
                "circle",
                ["class": name, "cx": number(centre.x), "cy": number(centre.y), "r": number(radius)], title))
    }

    mutating func text(_ name: String, _ text: String, at place: (x: Double, y: Double), anchor: Anchor = .start) {
        pieces.append(
            .make(
                "text",
                ["class": name, "x": number(place.x), "y": number(place.y), "text-anchor": anchor.rawValue], text))
    }

    /// A line through all of them; nothing where there are less than two.
    mutating func path(_ name: String, through places: [(x: Double, y: Double)]) {
        guard places.count > 1 else { return }
        pieces.append(.make("path", ["class": name, "d": "M" + Self.list(places)]))
    }

    /// What is below the line through all of them.
    mutating func area(_ name: String, below places: [(x: Double, y: Double)], downTo bottom: Double) {
        guard let first = places.first, let last = places.last, places.count > 1 else { return }
        let corners = places + [(last.x, bottom), (first.x, bottom)]
        pieces.append(.make("path", ["class": name, "d": "M" + Self.list(corners) + "Z"]))
    }

    private static func list(_ places: [(x: Double, y: Double)]) -> String {
        places.map { "\(Figures.fixed($0.x, decimals: 1)) \(Figures.fixed($0.y, decimals: 1))" }.joined(separator: "L")
    }

    private func number(_ value: Double) -> String { Figures.fixed(value, decimals: 1) }
}
