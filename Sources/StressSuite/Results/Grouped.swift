/// A number that people read: `1,234,567`.
struct Grouped: CustomStringConvertible {
    private let number: Int

    init(_ number: Int) {
        self.number = number
    }

    var description: String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0 && (digits.count - place) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
