import Foundation

/// Maps values to positions in a drawing.
struct Scale {
    private let from: Double
    private let to: Double
    private let places: ClosedRange<Double>
    private let isReversed: Bool
    private let isLogarithmic: Bool
    /// The values that have a label.
    let ticks: [Double]
    let label: (Double) -> String

    /// A linear scale from zero, in even steps, to the round number at or above `most`.
    ///
    /// - Parameter isReversed: whether the scale goes from the bottom of the drawing upwards.
    static func linear(
        upTo most: Double, in places: ClosedRange<Double>, isReversed: Bool = false, steps: Int = 4,
        leastStep: Double = 0, endsRound: Bool = true, label: @escaping (Double) -> String
    ) -> Scale {
        let most = most.isFinite && most > 0 ? most : 1
        let step = max(roundStep(most / Double(steps)), leastStep)
        let end = endsRound ? (most / step - 1e-9).rounded(.up) * step : most
        let count = Int((end / step + 1e-9).rounded(.down))
        return Scale(
            from: 0, to: end, places: places, isReversed: isReversed, isLogarithmic: false,
            ticks: (0...count).map { Double($0) * step }, label: label)
    }

    /// A logarithmic scale, with a tick at each power of ten.
    static func logarithmic(
        from least: Double, to most: Double, in places: ClosedRange<Double>, isReversed: Bool = false,
        every decades: Int = 1, label: @escaping (Double) -> String
    ) -> Scale {
        let least = least.isFinite && least > 0 ? least : 1
        let most = most.isFinite && most > least ? most : least * 10
        let first = Int((log10(least) - 1e-9).rounded(.up))
        let last = Int((log10(most) + 1e-9).rounded(.down))
        let ticks: [Double] = stride(from: first, through: last, by: max(1, decades)).map { pow(10, Double($0)) }
        return Scale(
            from: log10(least), to: log10(most), places: places, isReversed: isReversed, isLogarithmic: true,
            ticks: ticks, label: label)
    }

    /// The position of a value; a value outside of the scale is at its edge.
    func callAsFunction(_ value: Double) -> Double {
        let position = isLogarithmic ? log10(max(value, Double.leastNormalMagnitude)) : value
        let share = min(max((position - from) / (to - from), 0), 1)
        let length = places.upperBound - places.lowerBound
        guard share.isFinite else { return places.lowerBound }
        return isReversed ? places.upperBound - share * length : places.lowerBound + share * length
    }

    /// The smallest 1, 2 or 5 times a power of ten that is at or above the number.
    private static func roundStep(_ number: Double) -> Double {
        let power = pow(10, log10(number).rounded(.down))
        let factor = [1.0, 2, 5, 10].first { $0 * power >= number * (1 - 1e-9) } ?? 10
        return factor * power
    }
}
