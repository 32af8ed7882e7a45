package import CommandSupport

/// A text with references to secrets in double braces.
package struct Template {
    package static let limit = 16 << 20

    package enum Piece: Equatable {
        /// These bytes of the text, as they are.
        case text(Range<Int>)
        case reference(SecretReference)
    }

    package let pieces: [Piece]

    /// Finds the references.
    ///
    /// Braces around anything that does not begin with `skr://` are text.
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
            do throws(Problem) {
                let end = try Self.end(of: reference, in: text)
                if start < position { pieces.append(.text(start..<position)) }
                pieces.append(.reference(try Self.parse(text[reference..<end])))
                position = end + 2
                start = position
            } catch {
                throw error.commandError(in: name, line: 1 + text[..<position].count { $0 == UInt8(ascii: "\n") })
            }
        }
        if start < text.count { pieces.append(.text(start..<text.count)) }
        self.pieces = pieces
    }

    /// Where the reference begins, if there is one between these braces.
    private static func reference(in text: [UInt8], behind brace: Int) -> Int? {
        let rest = text[brace...].drop(while: isBlank)
        return SecretReference.begins(rest) ? rest.startIndex : nil
    }

    /// Where the closing braces are; they are on the same line.
    private static func end(of reference: Int, in text: [UInt8]) throws(Problem) -> Int {
        var position = reference
        while position + 1 < text.count, text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "}"), text[position + 1] == UInt8(ascii: "}") { return position }
            position += 1
        }
        throw .notClosed
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) throws(Problem) -> SecretReference {
        var bytes = bytes
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        do throws(SecretReference.Problem) {
            return try SecretReference(parsing: bytes)
        } catch {
            throw .reference(error)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private enum Problem: Error {
        case notClosed
        case reference(SecretReference.Problem)

        func commandError(in name: String, line: Int) -> CommandError {
            switch self {
            case .notClosed:
                .data(
                    "\(name):\(line): '{{ skr://' without '}}' on its line", hint: "close it, as in {{ skr://SERVICE }}"
                )
            case .reference(let problem): .data("\(name):\(line): \(problem.summary)", hint: SecretReference.form)
            }
        }
    }
}
