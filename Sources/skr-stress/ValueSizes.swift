import ArgumentParser

/// The sizes of values in bytes, as people type them: `200`, or `48-2000`.
struct ValueSizes: ExpressibleByArgument, Equatable {
    let smallest: Int
    let largest: Int

    init(smallest: Int, largest: Int) {
        self.smallest = smallest
        self.largest = largest
    }

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy(\.isASCII) ? UInt32(part) : nil }
        guard numbers.count == parts.count, let first = numbers.first, let last = numbers.last, parts.count <= 2 else {
            return nil
        }
        self.init(smallest: Int(first), largest: Int(last))
    }

    var defaultValueDescription: String { smallest == largest ? "\(smallest)" : "\(smallest)-\(largest)" }
}
