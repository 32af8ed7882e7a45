/// Compares, searches and splits text by its UTF-8 bytes.
///
/// Swift does all of this by characters: é is equal in its two forms, `K` equals U+212A, and a combining mark swallows
/// the separator before it. The names that this project keeps apart, and the protocols that it speaks, are bytes. In a
/// file that imports this module, these functions replace Swift's. `.ci/bytes` finds code that still uses Swift's.
///
/// They are inlinable, because without that, a first call from another module costs 35 page faults: Swift's runtime
/// then builds the types and searches all conformances.
extension StringProtocol {
    @inlinable package static func == <Other: StringProtocol>(left: Self, right: Other) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    @inlinable package static func != <Other: StringProtocol>(left: Self, right: Other) -> Bool { !(left == right) }

    @inlinable package func hasPrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

    @inlinable package func hasSuffix(_ suffix: some StringProtocol) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

// In generic code, == and < of two values of the same type would be Swift's.
extension StringProtocol {
    @inlinable func isSame(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

    @inlinable func isBefore(_ other: some StringProtocol) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

// Swift prefers a function of exactly this type.
extension String {
    @inlinable package static func == (left: String, right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    @inlinable package static func != (left: String, right: String) -> Bool { !(left == right) }

    @inlinable package static func < (left: String, right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    @inlinable package static func ~= (pattern: String, text: String) -> Bool { pattern == text }

    @inlinable package static func ~= (pattern: String, text: Substring) -> Bool { pattern == text }

    @inlinable package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    @inlinable package func hasSuffix(_ suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension StringProtocol where SubSequence == Substring {
    @inlinable package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

    /// Returns the first occurrence of a text that is not empty.
    @inlinable package func firstRange(of text: String) -> Range<Index>? {
        precondition(!text.isEmpty, "an empty text is everywhere")
        // Not with `indices`, whose type Swift's runtime would build.
        var rest = self[...].utf8
        while !rest.isEmpty {
            if rest.starts(with: text.utf8) {
                return rest.startIndex..<rest.index(rest.startIndex, offsetBy: text.utf8.count)
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    @inlinable package func contains(_ character: Character) -> Bool { firstIndex(of: character) != nil }

    @inlinable package func firstIndex(of character: Character) -> Index? {
        firstRange(of: String(character))?.lowerBound
    }

    @inlinable package func lastIndex(of character: Character) -> Index? {
        let bytes = self[...].utf8
        return bytes.indices.last { bytes[$0...].starts(with: character.utf8) }
    }

    /// The text before the first occurrence of a character, or all of it.
    @inlinable package func prefix(before character: Character) -> Substring {
        self[..<(firstIndex(of: character) ?? endIndex)]
    }

    @inlinable package func replacing(_ text: String, with new: String, maxReplacements: Int = .max) -> String {
        var (result, rest, count) = ("", self[...], 0)
        while count < maxReplacements, let range = rest.firstRange(of: text) {
            result += rest[..<range.lowerBound] + new
            rest = rest[range.upperBound...]
            count += 1
        }
        return result + rest
    }

    /// Splits the text at each occurrence of an ASCII character.
    @inlinable package func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        guard let byte = separator.utf8.first, separator.utf8.count == 1 else {
            preconditionFailure("text is split at ASCII characters")
        }
        return utf8.split(
            separator: byte, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
        ).map { self[$0.startIndex..<$0.endIndex] }
    }
}

extension Optional where Wrapped: StringProtocol {
    @inlinable package static func == (left: Wrapped?, right: Wrapped?) -> Bool {
        switch (left, right) {
        case (let left?, let right?): left.isSame(as: right)
        case (nil, nil): true
        default: false
        }
    }

    @inlinable package static func != (left: Wrapped?, right: Wrapped?) -> Bool { !(left == right) }

    @inlinable package static func == (left: Wrapped?, right: Wrapped) -> Bool {
        left.map { $0.isSame(as: right) } ?? false
    }

    @inlinable package static func != (left: Wrapped?, right: Wrapped) -> Bool { !(left == right) }

    @inlinable package static func == (left: Wrapped, right: Wrapped?) -> Bool { right == left }

    @inlinable package static func != (left: Wrapped, right: Wrapped?) -> Bool { !(right == left) }

    @inlinable package static func ~= (pattern: Wrapped, text: Wrapped?) -> Bool { text == pattern }
}

extension Sequence where Element: StringProtocol {
    @inlinable package func contains(_ text: Element) -> Bool { contains { $0.isSame(as: text) } }

    @inlinable package func sorted() -> [Element] { sorted { $0.isBefore($1) } }
}

extension Array where Element: StringProtocol {
    @inlinable package static func == (left: [Element], right: [Element]) -> Bool {
        left.elementsEqual(right) { $0.isSame(as: $1) }
    }
}

/// A text that sets and dictionaries compare and hash by its UTF-8 bytes.
package struct Name: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: some StringProtocol) { self.text = String(text) }

    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (left: Name, right: Name) -> Bool { left.text == right.text }

    package static func < (left: Name, right: Name) -> Bool { left.text < right.text }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }
}

extension Dictionary where Key == Name {
    package subscript(name: String) -> Value? {
        get { self[Name(name)] }
        set { self[Name(name)] = newValue }
    }
}
