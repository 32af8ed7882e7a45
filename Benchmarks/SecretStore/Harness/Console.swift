import Foundation

/// Whole lines at once: processes that this one forks must not inherit a buffer that is half full.
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

/// Something did not do what it is measured for.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A function of C has failed.
    static func ofCall(_ name: String) -> Failure { Failure("\(name): \(String(cString: strerror(errno)))") }
}
