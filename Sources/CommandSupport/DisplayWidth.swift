/// The number of columns that a text takes on a terminal.
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// Shortens a text to at most `limit` columns, with an ellipsis in its middle.
    ///
    /// Both ends stay, because names often differ only there.
    package static func shorten(_ text: String, to limit: Int) -> String {
        guard of(text) > limit else { return text }
        let ellipsis = limit < 5 ? "" : "..."
        let tailRoom = ellipsis.isEmpty ? 0 : (limit - ellipsis.count) / 2
        let tail = prefix(of: text.reversed(), to: tailRoom)
        let head = prefix(of: text, to: limit - ellipsis.count - tailRoom)
        return String(head) + ellipsis + String(tail.reversed())
    }

    private static func prefix(of text: some Sequence<Character>, to limit: Int) -> [Character] {
        var room = limit
        return text.prefix { character in
            room -= width(of: character)
            return room >= 0
        }
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        // An emoji is one picture, however many scalars it has for a skin tone, a hat or a flag.
        if let first = scalars.first, isPicture(first, followedBy: scalars.dropFirst().first) { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func isPicture(_ scalar: Unicode.Scalar, followedBy next: Unicode.Scalar?) -> Bool {
        let emojiStyle: Unicode.Scalar = "\u{FE0F}"
        return scalar.properties.isEmojiPresentation || (scalar.properties.isEmoji && next == emojiStyle)
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // Terminals draw a Korean syllable's vowels and final consonants in the columns of its initial consonant.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// Blocks of wide or full-width characters (Unicode Annex 11), including the gaps between the blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Korean initial consonants
        0x2329...0x232A,  // angle brackets
        0x2E80...0x303E,  // radicals, ideographic punctuation
        0x3041...0x3247, 0x3250...0xA4CF,  // kana, bopomofo, ideographs, Yi
        0xA960...0xA97C,  // more Korean initial consonants
        0xAC00...0xD7A3,  // Korean syllables
        0xF900...0xFAFF,  // compatibility ideographs
        0xFE10...0xFE19,  // vertical forms
        0xFE30...0xFE6B,  // compatibility and small forms
        0xFF01...0xFF60,  // full-width forms
        0xFFE0...0xFFE6,  // full-width signs
        0x16FE0...0x18DF2,  // Tangut, Khitan
        0x1AFF0...0x1B2FB,  // kana supplements, Nushu
        0x1F200...0x1F265,  // enclosed ideographs
        0x20000...0x3FFFD,  // further planes of ideographs
    ]
}
