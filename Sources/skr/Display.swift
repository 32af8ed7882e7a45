import SessionKeyring

/// Names for people: as they are, unless they would confuse a terminal or a table.
enum Display {
    static func name(of item: ItemIdentity) -> String {
        let service = plain(item.service)
        return item.account.isEmpty ? service : "\(service) \(plain(item.account))"
    }

    /// A word of the command line or of a file, cut where it would fill the screen.
    static func quoted(_ text: String) -> String {
        let limit = 100
        let start = plain(String(text.unicodeScalars.prefix(limit)))
        return "'\(start)\(text.unicodeScalars.count > limit ? "..." : "")'"
    }

    /// The name with control and invisible characters percent-encoded.
    static func plain(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    text += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
