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
