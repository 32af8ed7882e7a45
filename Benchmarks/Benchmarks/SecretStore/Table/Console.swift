import Foundation

/// Standard error: the table alone goes to standard output.
enum Console {
    static func note(_ text: String) {
        FileHandle.standardError.write(Data("benchmarks: \(text)\n".utf8))
    }

    static func fail(_ text: String) -> Never {
        note("error: \(text)")
        exit(70)
    }
}
