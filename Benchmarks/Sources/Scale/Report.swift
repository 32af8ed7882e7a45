/// Prints figures as they are found.
struct Report {
    let part: String

    func add(_ what: String, size: Int, _ value: Double, _ unit: String) {
        line(what, size, value, unit, "-\t-")
    }

    /// Times of the store and of its floor, for one call.
    func add(_ what: String, size: Int, _ pair: Turns.Medians) {
        line(what, size, pair.work, "ns", "\(rounded(pair.floor))\t\((pair.ratio * 100).rounded() / 100)")
    }

    private func line(_ what: String, _ size: Int, _ value: Double, _ unit: String, _ rest: String) {
        Output.figure("\(part)\t\(what)\t\(size)\t\(rounded(value))\t\(unit)\t\(rest)")
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
