/// Where something stands in JSON: names and positions with dots between, and maybe a dot before, as `jq` has it.
package struct JSONPath {
    struct Step {
        let name: [UInt8]
        /// The position in an array that it may be.
        let position: Int?
    }

    private let steps: [Step]

    package init(_ text: String) {
        var bytes = Array(text.utf8)[...]
        if bytes.first == UInt8(ascii: ".") { bytes.removeFirst() }
        steps = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { name in
            Step(name: Array(name), position: Self.position(name))
        }
    }

    var count: Int { steps.count }

    subscript(_ index: Int) -> Step { steps[index] }

    private static func position(_ name: ArraySlice<UInt8>) -> Int? {
        guard name.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
        return Int(String(decoding: name, as: UTF8.self))
    }
}
