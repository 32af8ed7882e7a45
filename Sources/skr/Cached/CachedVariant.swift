/// The arguments that tell one result of a command from another, as one text; no two lists give the same.
///
/// Joined by commas, `\` and `,` within them behind a `\`; an empty one is `\e`, so that it is not none.
package enum CachedVariant {
    package static func text(of keys: [String]) -> String {
        var text = ""
        var isFirst = true
        for key in keys {
            append(key, to: &text, isFirst: isFirst)
            isFirst = false
        }
        return text
    }

    static func append(_ key: String, to text: inout String, isFirst: Bool) {
        if !isFirst { text += "," }
        guard key.utf8.first != nil else {
            text += "\\e"
            return
        }
        for scalar in key.unicodeScalars {
            if scalar == "\\" || scalar == "," { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
    }
}
