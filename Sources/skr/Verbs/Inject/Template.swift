package import CommandSupport
import Keyutils

/// A text with references to secrets in double braces.
package struct Template {
    package static let limit = 16 << 20

    package enum Piece: Equatable {
        /// These bytes of the text, unchanged.
        case text(Range<Int>)
        case reference(SecretReference)
    }

    package let pieces: [Piece]

    /// Finds the references in the text.
    ///
    /// If the text in braces doesn't begin with `skr:`, the braces are ordinary text. As in Go's templates, `{{-` removes
    /// the white space before the braces, and ` -}}` removes the white space after them.
    package init(parsing text: [UInt8], name: String) throws(CommandError) {
        var pieces: [Piece] = []
        var start = 0
        var position = 0
        while position + 1 < text.count {
            guard text[position] == UInt8(ascii: "{"), text[position + 1] == UInt8(ascii: "{"),
                let (reference, trimsBefore) = Self.reference(in: text, after: position + 2)
            else {
                position += 1
                continue
            }
            do throws(InputProblem) {
                let end = try Self.end(of: reference, in: text)
                var before = text[start..<position]
                while trimsBefore, before.last.map(Self.isSpace) == true { before.removeLast() }
                if !before.isEmpty { pieces.append(.text(before.indices)) }
                var written = text[reference..<end]
                // A name can end with a dash, so the mark needs a blank before it.
                let trimsAfter = written.last == UInt8(ascii: "-") && written.dropLast().last?.isBlank == true
                if trimsAfter { written.removeLast() }
                while written.last?.isBlank == true { written.removeLast() }
                pieces.append(.reference(try SecretReference(parsing: written)))
                position = end + 2
                while trimsAfter, position < text.count, Self.isSpace(text[position]) { position += 1 }
                start = position
            } catch {
                let line = 1 + text[..<position].count { $0 == UInt8(ascii: "\n") }
                throw CommandError(error, at: "\(name):\(line)")
            }
        }
        if start < text.count { pieces.append(.text(start..<text.count)) }
        self.pieces = pieces
    }

    /// Returns the start of the reference, and whether `{{-` comes before it.
    ///
    /// The result is `nil` if these braces don't contain a reference.
    private static func reference(in text: [UInt8], after braces: Int) -> (start: Int, trims: Bool)? {
        let trims = braces < text.count && text[braces] == UInt8(ascii: "-")
        let rest = text[(braces + (trims ? 1 : 0))...].drop { $0.isBlank }
        return SecretReference.begins(rest) ? (rest.startIndex, trims) : nil
    }

    /// Returns whether Go's templates remove this character next to `{{-` or `-}}`.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// Returns the position of the closing braces, which must be on the same line.
    private static func end(of reference: Int, in text: [UInt8]) throws(InputProblem) -> Int {
        var position = reference
        while position + 1 < text.count, text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "}"), text[position + 1] == UInt8(ascii: "}") { return position }
            position += 1
        }
        throw InputProblem(
            summary: "'{{ skr:' is not closed by '}}' on its line", hint: "close it, as in {{ skr://SERVICE }}")
    }
}
