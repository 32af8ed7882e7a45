import CProcess
package import CommandSupport
import Glibc

/// The words of the command line after the program's name, as bytes: `CommandLine.arguments` would repair what is not
/// UTF-8, so that two different names became one.
@safe package struct CommandLineWords {
    package let count: Int
    private let first: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// So many words from here on.
    init(count: Int, first: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        self.count = max(0, count)
        unsafe self.first = unsafe first
    }

    static func all() -> CommandLineWords {
        unsafe CommandLineWords(count: Int(start_count()), first: start_words())
    }

    /// The word at this position; `nil` where it is not UTF-8.
    package subscript(_ position: Int) -> String? {
        guard let word = unsafe pointer(position) else { return nil }
        return unsafe String(validatingCString: word)
    }

    /// The word at this position as it came in.
    func pointer(_ position: Int) -> UnsafePointer<CChar>? {
        guard position < count, let word = unsafe first[position] else { return nil }
        return unsafe UnsafePointer(word)
    }

    /// All words.
    package func strings() throws(CommandError) -> [String] {
        var words: [String] = []
        for position in 0..<count {
            guard let word = self[position] else {
                throw .usage("argument \(position + 1) is not valid UTF-8", hint: "names are text; use UTF-8 ones")
            }
            words.append(word)
        }
        return words
    }

    /// The words before this position.
    func prefix(_ end: Int) -> CommandLineWords {
        unsafe CommandLineWords(count: min(count, end), first: first)
    }

    /// The words from this position on.
    func suffix(from start: Int) -> CommandLineWords {
        unsafe CommandLineWords(count: count - start, first: first + min(count, start))
    }

    /// Where the first `--` stands, behind which nothing is an option of ours.
    var terminator: Int? {
        (0..<count).first { self[$0] == "--" }
    }

    /// What is before `--`, for the argument parser, and the command behind it.
    var launchSplit: (options: [String], command: CommandLineWords) {
        get throws(CommandError) {
            guard let terminator else { return try unsplit }
            let command = suffix(from: terminator + 1)
            // The parser needs to know that there was a '--', and is not to look at the command.
            return (try prefix(terminator).strings() + ["--", "CMD"], command)
        }
    }

    /// All words for the argument parser, and no command.
    var unsplit: (options: [String], command: CommandLineWords) {
        get throws(CommandError) { (try strings(), suffix(from: count)) }
    }

    /// Lends the words to C as they came in, with a null pointer behind the last.
    func withPointers<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 1)
        defer { unsafe pointers.deallocate() }
        for position in 0..<count { unsafe pointers[position] = first[position] }
        unsafe pointers[count] = nil
        return unsafe body(pointers)
    }
}

extension CommandLineWords: Equatable {
    /// Whether they are the same words, byte for byte.
    package static func == (left: CommandLineWords, right: CommandLineWords) -> Bool {
        guard left.count == right.count else { return false }
        return (0..<left.count).allSatisfy { position in
            guard let word = unsafe left.pointer(position), let other = unsafe right.pointer(position) else {
                return false
            }
            return unsafe strcmp(word, other) == 0
        }
    }
}

extension CommandLineWords {
    /// Words made up by a test; they are never freed.
    package init(leaking words: [String]) {
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (position, word) in words.enumerated() { unsafe copies[position] = strdup(word) }
        unsafe copies[words.count] = nil
        unsafe self.init(count: words.count, first: copies)
    }
}

extension CommandLineWords {
    /// The first word for people, with what is not UTF-8 repaired.
    var lossyFirst: String {
        guard let word = unsafe pointer(0) else { return "" }
        return unsafe String(cString: word)
    }

    /// The user's shell, as a command.
    static func shell() -> CommandLineWords {
        let usual = unsafe getenv("SHELL").flatMap { unsafe $0.pointee == 0 ? nil : $0 }
        let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 2)
        unsafe words[0] = unsafe usual ?? strdup("/bin/sh")
        unsafe words[1] = nil
        return unsafe CommandLineWords(count: 1, first: words)
    }
}
