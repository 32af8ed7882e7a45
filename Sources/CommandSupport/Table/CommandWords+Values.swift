import Keyutils

/// Options with values of other types than text.
extension CommandWords {
    package mutating func duration(_ name: String, short: String = "", _ help: String) -> Duration? {
        guard let text = option(name, short, value: "DURATION", help) else { return nil }
        if hasUnitMistake(name, text) { return nil }
        guard let duration = DurationText.parse(text) else {
            fail("\(name): \(Display.quoted(text)) is not a duration", hint: "write it as \(DurationText.forms)")
            return nil
        }
        return duration
    }

    /// Returns the value of `--timeout`.
    ///
    /// - Parameter variable: the variable that is used if the option is missing; the caller reads it.
    package mutating func timeout(_ help: String, variable: String = "") -> TimeoutArgument? {
        let name = TimeoutArgument.option
        guard let text = option(name, "-t", value: "DURATION|never", help, variable: variable) else { return nil }
        if hasUnitMistake(name, text) { return nil }
        do throws(CommandError) {
            return try TimeoutArgument.reading(text, of: name)
        } catch {
            fail(error.message, hint: error.hint)
            return nil
        }
    }

    package mutating func number<Value: FixedWidthInteger>(
        _ name: String, value: String, _ help: String, as _: Value.Type = Value.self
    ) -> Value? {
        guard let text = option(name, value: value, help) else { return nil }
        let number = Value(text)
        if number == nil {
            fail("\(name): \(Display.quoted(text)) is not a whole number that fits", hint: "write it in digits")
        }
        return number
    }

    /// Returns one of a few words.
    ///
    /// - Parameter words: the words, with `|` between them.
    package mutating func choice(
        _ name: String, value: String, _ words: String, _ help: String, variable: String = ""
    ) -> String? {
        guard let text = option(name, value: value, help, .choice(words), variable: variable) else { return nil }
        guard words.utf8.split(separator: UInt8(ascii: "|")).contains(where: { $0.elementsEqual(text.utf8) }) else {
            fail(
                "\(name): no such \(value.lowercased()): \(Display.quoted(text))",
                hint: "use \(Argument.listed(words, "or"))")
            return nil
        }
        return text
    }

    /// Notes the mistake of a unit that is a separate word, as in `--timeout 8 hours`, and returns whether it was made.
    ///
    /// Without it, the unit would be taken for a name.
    private mutating func hasUnitMistake(_ name: String, _ number: String) -> Bool {
        guard number.utf8.allSatisfy(\.isDigit), !following.isEmpty, DurationText.isUnit(following) else {
            return false
        }
        let letter = DurationText.letter(ofUnit: following)
        let name = spelling.hasPrefix("--") || spelling == "-t" ? String(spelling.prefix(before: "=")) : name
        let form = letter.map { "\(name) \(number)\($0)" } ?? "it as \(DurationText.forms)"
        let unit = Display.plain(following)
        fail(
            "\(name) \(number) \(unit): a duration is one word",
            hint: "write \(form); for an item named \(unit), write \(name) \(number)s")
        return true
    }
}
