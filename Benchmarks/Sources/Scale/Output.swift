import Glibc

/// Whole lines to standard output or error, at once: members must not inherit a buffer that is half full.
enum Output {
    static func figure(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    static func complaint(_ text: String) {
        write("scale: error: " + text, to: STDERR_FILENO)
    }

    private static func write(_ line: String, to descriptor: CInt) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // Nobody reads any more.
            guard count > 0 else { _exit(70) }
            rest = rest.dropFirst(count)
        }
    }
}
