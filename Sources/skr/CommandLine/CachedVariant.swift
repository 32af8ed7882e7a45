import CommandSupport

/// The `--key` arguments as one text; different arguments give different texts.
///
/// The arguments are joined with commas, with a `\` before each `\` and `,`. An empty argument becomes `\e`.
package enum CachedVariant {
    package static func text(of keys: [String]) -> String {
        // `joined` would look up conformances at run time, which takes longer than everything else here.
        var text = ""
        for key in keys { text += text.isEmpty ? escaped(key) : "," + escaped(key) }
        return text
    }

    /// Returns the options that make this variant as the user types them, each preceded by a space.
    ///
    /// The result is `nil` for a variant in another form: another program has stored it, and no options make it.
    package static func options(of variant: String) -> String? {
        let keys = keys(of: variant)
        guard text(of: keys) == variant else { return nil }
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
