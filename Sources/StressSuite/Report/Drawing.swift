import Keyutils

/// An SVG picture that is built piece by piece.
///
/// Its colours and fonts come from the style sheet, by class.
struct Drawing {
    typealias Point = (x: Double, y: Double)

    enum Anchor: String {
        case start, middle, end
    }

    let width: Double
    let height: Double
    private(set) var pieces: [Markup] = []

    /// The picture, with a description in words.
    func markup(title: String, description: String, class name: String = "") -> Markup {
        """
        <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 \(width) \(height)' role='img' class='plot \(name)' \
        aria-label='\(title). \(description)'><title>\(title)</title><desc>\(description)</desc>
        \(pieces)</svg>

        """
    }

    mutating func line(_ name: String, from start: Point, to end: Point) {
        pieces.append("<line class='\(name)' x1='\(start.x)' y1='\(start.y)' x2='\(end.x)' y2='\(end.y)'/>\n")
    }

    /// Adds a rectangle.
    ///
    /// - Parameter tip: the text that appears when the pointer rests on it.
    mutating func rectangle(
        _ name: String, x: Double, y: Double, width: Double, height: Double, tip: String? = nil
    ) {
        pieces.append(
            """
            <rect class='\(name)' x='\(x)' y='\(y)' width='\(max(0, width))' height='\(max(0, height))'>\
            \(Self.title(tip))</rect>

            """)
    }

    mutating func circle(_ name: String, at center: Point, tip: String? = nil) {
        pieces.append("<circle class='\(name)' cx='\(center.x)' cy='\(center.y)' r='4'>\(Self.title(tip))</circle>\n")
    }

    private static func title(_ tip: String?) -> Markup? { tip.map { "<title>\($0)</title>" } }

    mutating func text(_ name: String, _ text: String, at point: Point, anchor: Anchor = .start) {
        pieces.append(
            "<text class='\(name)' x='\(point.x)' y='\(point.y)' text-anchor='\(anchor.rawValue)'>\(text)</text>\n")
    }

    /// Adds a line through all points; nothing if there are fewer than two.
    mutating func path(_ name: String, through points: [Point]) {
        guard points.count > 1 else { return }
        pieces.append("<path class='\(name)' d='M\(Self.list(points))'/>\n")
    }

    /// Adds the area below the line through all points.
    mutating func area(_ name: String, below points: [Point], downTo bottom: Double) {
        guard let first = points.first, let last = points.last, points.count > 1 else { return }
        pieces.append("<path class='\(name)' d='M\(Self.list(points + [(last.x, bottom), (first.x, bottom)]))Z'/>\n")
    }

    private static func list(_ points: [Point]) -> String {
        points.map { "\(Figures.fixed($0.x, decimals: 1)) \(Figures.fixed($0.y, decimals: 1))" }.joined(separator: "L")
    }
}

// MARK: - Axes
extension Drawing {
    /// Adds lines from left to right at the ticks of a scale that goes upwards.
    mutating func horizontals(_ scale: Scale, across: ClosedRange<Double>) {
        for tick in scale.ticks {
            let y = scale(tick)
            line(tick == 0 ? "axis" : "grid", from: (across.lowerBound, y), to: (across.upperBound, y))
            text("label", scale.label(tick), at: (across.lowerBound - 6, y + 4), anchor: .end)
        }
    }

    /// Adds the ticks of a scale that goes from left to right, below the plot.
    ///
    /// No label extends beyond the drawing.
    mutating func timeAxis(_ scale: Scale, across: ClosedRange<Double>, at bottom: Double) {
        line("axis", from: (across.lowerBound, bottom), to: (across.upperBound, bottom))
        for tick in scale.ticks {
            let x = scale(tick)
            line("axis", from: (x, bottom), to: (x, bottom + 4))
            let isLast = x > across.upperBound - 18
            text(
                "label", scale.label(tick), at: (isLast ? across.upperBound + 6 : x, bottom + 18),
                anchor: isLast ? .end : x < across.lowerBound + 16 ? .start : .middle)
        }
    }
}
