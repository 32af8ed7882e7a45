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
    /// If the text in braces doesn't begin with `skr://`, the braces are ordinary text.
    package init(parsing text: [UInt8], name: String) throws(CommandError) {
        var pieces: [Piece] = []
        var start = 0
        var position = 0
        while position + 1 < text.count {
            guard text[position] == UInt8(ascii: "{"), text[position + 1] == UInt8(ascii: "{"),
                let reference = Self.reference(in: text, behind: position + 2)
            else {
                position += 1
                continue
            }
            do throws(InputProblem) {
                let end = try Self.end(of: reference, in: text)
                if start < position { pieces.append(.text(start..<position)) }
                var written = text[reference..<end]
                while written.last?.isBlank == true { written.removeLast() }
                pieces.append(.reference(try SecretReference(parsing: written)))
                position = end + 2
                start = position
            } catch {
                let line = 1 + text[..<position].count { $0 == UInt8(ascii: "\n") }
                throw CommandError(error, at: "\(name):\(line)")
            }
        }
        if start < text.count { pieces.append(.text(start..<text.count)) }
        self.pieces = pieces
    }

    /// Returns the start of the reference; `nil` if these braces don't contain one.
    private static func reference(in text: [UInt8], behind brace: Int) -> Int? {
        let rest = text[brace...].drop { $0.isBlank }
        return SecretReference.begins(rest) ? rest.startIndex : nil
    }

    /// Returns the position of the closing braces, which must be on the same line.
    private static func end(of reference: Int, in text: [UInt8]) throws(InputProblem) -> Int {
        var position = reference
        while position + 1 < text.count, text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "}"), text[position + 1] == UInt8(ascii: "}") { return position }
            position += 1
        }
        throw InputProblem(
            summary: "'{{ skr://' is not closed by '}}' on its line", hint: "close it, as in {{ skr://SERVICE }}")
    }
}
