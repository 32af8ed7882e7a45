import Foundation

/// Writes whole lines at a time, because forked processes must not inherit a half-full buffer.
enum Console {
    static func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    static func note(_ text: String) {
        FileHandle.standardError.write(Data("benchmarks: \(text)\n".utf8))
    }

    static func fail(_ text: String, code: CInt = 70) -> Never {
        note("error: \(text)")
        exit(code)
    }
}

/// An operation that did not do its work, so that it can't be measured.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The failure of a C function.
    static func ofCall(_ name: String) -> Failure { Failure("\(name): \(String(cString: strerror(errno)))") }
}
