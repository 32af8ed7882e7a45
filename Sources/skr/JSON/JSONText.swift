/// A JSON text, looked through where it is: nothing is copied, nothing is rounded.
///
/// Numbers and names are never made into values, so that they can't be too large or lose a digit, and nesting is counted and
/// not called, so that it can't use up the stack.
@safe struct JSONText {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    /// Where a container's members are, and what was asked for in it.
    private struct Container {
        let isObject: Bool
        /// How many steps of the path lead here; `nil` where they lead elsewhere.
        let steps: Int?
        var count = 0
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }

    /// The text is not JSON.
    struct Malformed: Error {}

    /// Where the value is that the path leads to; `nil` where there is none.
    ///
    /// The whole text is looked through. Of members with one name the last counts, as in `jq`.
    static func range(of path: JSONPath, in text: UnsafeRawBufferPointer) throws(Malformed) -> Range<Int>? {
        var text = unsafe JSONText(text)
        return try text.find(path)
    }

    private mutating func find(_ path: JSONPath) throws(Malformed) -> Range<Int>? {
        var open: [Container] = []
        var found: Range<Int>?
        // Where the value began whose end is not known yet.
        var start: (position: Int, depth: Int)?
        var steps: Int? = 0
        skipMark()
        while true {
            skipBlanks()
            if steps == path.count { start = (position, open.count) }
            if next(is: "{") {
                open.append(Container(isObject: true, steps: steps))
            } else if next(is: "[") {
                open.append(Container(isObject: false, steps: steps))
            } else {
                try skipScalar()
            }
            // What ends here, up to a container that goes on.
            while true {
                if let begun = start, begun.depth == open.count {
                    found = begun.position..<position
                    start = nil
                }
                guard var container = open.popLast() else { return try end(with: found) }
                skipBlanks()
                if next(is: container.isObject ? "}" : "]") { continue }
                if container.count > 0 { try require(",") }
                steps = try nextMember(of: &container, path)
                // What another of that name held counts no more.
                if steps != nil { found = nil }
                container.count += 1
                open.append(container)
                break
            }
        }
    }

    /// Goes to a member's value, and tells how many steps of the path lead to it.
    private mutating func nextMember(of container: inout Container, _ path: JSONPath) throws(Malformed) -> Int? {
        let step = container.steps.flatMap { $0 < path.count ? path[$0] : nil }
        skipBlanks()
        guard container.isObject else {
            return step?.position == container.count ? container.steps.map { $0 + 1 } : nil
        }
        let name = position + 1
        try skipString()
        let end = position - 1
        let isMeant =
            step.map { unsafe JSONString(UnsafeRawBufferPointer(rebasing: bytes[name..<end])).says($0.name) } ?? false
        skipBlanks()
        try require(":")
        return isMeant ? container.steps.map { $0 + 1 } : nil
    }

    private mutating func end(with found: Range<Int>?) throws(Malformed) -> Range<Int>? {
        skipBlanks()
        guard unsafe position == bytes.count else { throw Malformed() }
        return found
    }
}
