import Keyutils

/// The members of a JSON object, as ranges of its text.
package struct JSONMembers {
    package struct Member {
        package let name: String
        /// From the opening quote of its name to the end of its value.
        package let range: Range<Int>
        package let value: Range<Int>
    }

    /// The text is not JSON, or not an object.
    package struct NoObject: Error {}

    /// The object, including its braces.
    package let object: Range<Int>
    package let members: [Member]
}

extension JSONMembers {
    /// - Parameter text: a whole JSON text.
    package init(of text: RawSpan) throws(NoObject) {
        guard text.isText else { throw NoObject() }
        do throws(JSONText.Malformed) {
            self = try unsafe text.withUnsafeBytes { text throws(JSONText.Malformed) in
                guard let object = try unsafe JSONText.range(of: .root, in: text) else {
                    throw JSONText.Malformed()
                }
                return try unsafe JSONText.members(of: object, in: text)
            }
        } catch {
            throw NoObject()
        }
    }
}

extension JSONText {
    /// - Parameter object: the range of a value in a text that is known to be JSON.
    fileprivate static func members(
        of object: Range<Int>, in bytes: UnsafeRawBufferPointer
    ) throws(Malformed) -> JSONMembers {
        var text = unsafe JSONText(at: object.lowerBound, of: bytes)
        var members: [JSONMembers.Member] = []
        try text.require("{")
        text.skipBlanks()
        while !text.next(is: "}") {
            if !members.isEmpty { try text.require(",") }
            text.skipBlanks()
            members.append(try text.member())
            text.skipBlanks()
        }
        return JSONMembers(object: object, members: members)
    }

    private mutating func member() throws(Malformed) -> JSONMembers.Member {
        let start = position
        try skipString()
        let quoted = unsafe UnsafeRawBufferPointer(rebasing: bytes[(start + 1)..<(position - 1)])
        var isText = false
        let name = SecretBytes(capacity: quoted.count) { name in
            isText = unsafe JSONString(quoted).write(to: &name)
        }
        guard isText else { throw Malformed() }
        skipBlanks()
        try require(":")
        skipBlanks()
        let value = position
        try skipValue()
        return .init(
            name: name.withBytes { String(lossy: $0) }, range: start..<position, value: value..<position)
    }

    /// Skips a value of any depth in a text that is known to be JSON.
    private mutating func skipValue() throws(Malformed) {
        var depth = 0
        repeat {
            skipBlanks()
            if next(is: "{") || next(is: "[") {
                depth += 1
            } else if next(is: "}") || next(is: "]") {
                depth -= 1
            } else if !next(is: ","), !next(is: ":") {
                try skipScalar()
            }
        } while depth > 0
    }
}
