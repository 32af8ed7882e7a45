import CommandSupport

/// The --key arguments as one text, different for different arguments.
///
/// They are joined by commas, with a `\` before each `\` and `,`; an empty one is `\e`.
package enum CachedVariant {
    package static func text(of keys: [String]) -> String {
        // Not `joined`: it looks up conformances at run time, which takes longer than everything else here.
        var text = ""
        for key in keys { text += text.isEmpty ? escaped(key) : "," + escaped(key) }
        return text
    }

    /// The options that make this variant, each with a space before it, as they are typed; `nil` for what a program has
    /// named in another form, which no options make.
    package static func options(of variant: String) -> String? {
        let keys = keys(of: variant)
        guard text(of: keys).utf8.elementsEqual(variant.utf8) else { return nil }
        return keys.map { Display.option("--key", $0) }.joined()
    }

    private static func keys(of variant: String) -> [String] {
        guard !variant.isEmpty else { return [] }
        var keys = [""]
        var isEscaped = false
        for scalar in variant.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped: isEscaped = true
            case "," where !isEscaped: keys.append("")
            case "e" where isEscaped: isEscaped = false
            default:
                keys[keys.count - 1].unicodeScalars.append(scalar)
                isEscaped = false
            }
        }
        return keys
    }

    private static func escaped(_ key: String) -> String {
        if key.isEmpty { return "\\e" }
        var text = ""
        for scalar in key.unicodeScalars {
            if scalar == "\\" || scalar == "," { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
