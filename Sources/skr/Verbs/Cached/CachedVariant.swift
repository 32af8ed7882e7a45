/// The arguments that tell one result of a command from another, as one text; no two lists give the same.
///
/// Joined by commas, `\` and `,` within them behind a `\`; an empty one is `\e`, so that it is not none.
package enum CachedVariant {
    package static func text(of keys: [String]) -> String {
        // No `joined`, which looks for conformances at run time: that takes longer than all else that a hit does.
        var text = ""
        for key in keys { text += text.isEmpty ? escaped(key) : "," + escaped(key) }
        return text
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
