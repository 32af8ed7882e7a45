import Keyutils

/// Options with values of other types than text.
extension CommandWords {
    package mutating func duration(_ name: String, short: String = "", _ help: String) -> Duration? {
        var duration: Duration?
        let texts = options(name, short, value: "DURATION", help, isRepeating: false)
        for position in texts.indices where !hasUnitMistake(name, short, texts, position) {
            duration = DurationText.parse(texts[position])
            guard duration == nil else { continue }
            fail(
                "\(name): \(Display.quoted(texts[position])) is not a duration",
                hint: "write it as \(DurationText.forms)")
        }
        return duration
    }

    /// Returns the value of `--timeout`.
    ///
    /// - Parameter variable: the variable that is used if the option is missing; the caller reads it.
    package mutating func timeout(_ help: String, variable: String = "") -> TimeoutArgument? {
        let name = TimeoutArgument.option
        var timeout: TimeoutArgument?
        let texts = options(
            name, "-t", value: "DURATION|never", help, variable: variable, isRepeating: false)
        for position in texts.indices where !hasUnitMistake(name, "-t", texts, position) {
            do throws(CommandError) {
                timeout = try TimeoutArgument.reading(texts[position], of: name)
            } catch {
                fail(error.message, hint: error.hint)
            }
        }
        return timeout
    }

    package mutating func number<Value: FixedWidthInteger>(
        _ name: String, value: String, _ help: String, as _: Value.Type = Value.self
    ) -> Value? {
        var number: Value?
        for text in options(name, value: value, help, isRepeating: false) {
            number = Value(text)
            guard number == nil else { continue }
            fail("\(name): \(Display.quoted(text)) is not a whole number", hint: "use digits; at most \(Value.max)")
        }
        return number
    }

    /// Returns one of a few words.
    ///
    /// - Parameter words: the words, with `|` between them.
    package mutating func choice(
        _ name: String, value: String, _ words: String, _ help: String, variable: String = ""
    ) -> String? {
        let texts = options(
            name, value: value, help, .choice(words), variable: variable, isRepeating: false)
        let known = words.utf8.split(separator: UInt8(ascii: "|"))
        for text in texts where !known.contains(where: { $0.elementsEqual(text.utf8) }) {
            fail(
                "\(name): no such \(value.lowercased()): \(Display.quoted(text))", hint: "use \(Argument.listed(words))"
            )
        }
        return texts.last
    }

    /// Notes the mistake of a unit that is a separate word, as in `--timeout 8 hours`, and returns whether it was made.
    ///
    /// Without it, the unit would be taken for a name.
    private mutating func hasUnitMistake(_ name: String, _ short: String, _ texts: [String], _ position: Int) -> Bool {
        let (number, unit) = (texts[position], written.following[position])
        guard number.utf8.allSatisfy(\.isDigit), !unit.isEmpty, DurationText.isUnit(unit) else { return false }
        let option = written.options[position] == short ? short : name
        let form = DurationText.letter(ofUnit: unit).map { "\(option) \(number)\($0)" } ?? "it as \(DurationText.forms)"
        fail("\(option) \(number) \(Display.plain(unit)): a duration is one word", hint: "write \(form)")
        return true
    }
}
