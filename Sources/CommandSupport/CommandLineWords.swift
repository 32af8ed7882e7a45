import Glibc
import Keyutils

/// The words of the command line after the program's name, as bytes.
///
/// `CommandLine.arguments` would repair invalid UTF-8, so that two different names could become the same.
@safe package struct CommandLineWords {
    package let count: Int
    /// The words with their bytes unchanged, followed by a null pointer.
    package let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// The number of words before these on the whole command line.
    let offset: Int

    package init(count: Int, pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, offset: Int = 0) {
        (self.count, self.offset) = (count, offset)
        unsafe self.pointers = unsafe pointers
    }

    /// Copies these words into memory that is never freed.
    package init(leaking words: [String]) {
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (position, word) in words.enumerated() { unsafe copies[position] = strdup(word) }
        unsafe copies[words.count] = nil
        unsafe self.init(count: words.count, pointers: copies)
    }

    /// Returns `word` followed by these words, in memory that is never freed.
    package func prepending(_ word: String) -> CommandLineWords {
        let words = CommandLineWords(leaking: [word] + Array(repeating: "", count: count))
        for position in 0..<count { unsafe words.pointers[position + 1] = pointers[position] }
        return words
    }

    /// Returns these words without the last one, in memory that is never freed.
    package func droppingLast() -> CommandLineWords {
        let words = CommandLineWords(leaking: Array(repeating: "", count: max(0, count - 1)))
        for position in 0..<words.count { unsafe words.pointers[position] = pointers[position] }
        return words
    }

    /// Returns the user's shell as a command: `$SHELL`, or `/bin/sh` if that is unset or empty.
    package static func shell() -> CommandLineWords {
        let words = CommandLineWords(leaking: ["/bin/sh"])
        if let shell = unsafe getenv("SHELL"), unsafe shell.pointee != 0 { unsafe words.pointers[0] = shell }
        return words
    }

    /// The word at this position; `nil` if there isn't one or it isn't valid UTF-8.
    package subscript(_ position: Int) -> String? {
        guard position < count, let word = unsafe pointers[position] else { return nil }
        return unsafe String(validatingCString: word)
    }

    /// Returns the words before this position, or all words if no position is given.
    package func strings(before end: Int? = nil) throws(CommandError) -> [String] {
        var words: [String] = []
        for position in 0..<(end ?? count) {
            guard let word = self[position] else {
                throw .usage("argument \(offset + position + 1) is not valid UTF-8", hint: "use only UTF-8 text")
            }
            words.append(word)
        }
        return words
    }

    /// Returns the words from this position on.
    package func suffix(from start: Int) -> CommandLineWords {
        let skipped = min(count, start)
        return unsafe CommandLineWords(
            count: count - skipped, pointers: pointers + skipped, offset: offset + skipped)
    }

    /// The position of the first `--`; the words after it are never our options.
    package var terminator: Int? {
        (0..<count).first { self[$0] == "--" }
    }

    /// A hash of the words and their order.
    package var hash: UInt64 {
        var hash = FNV1a.hash(of: RawSpan())
        for position in 0..<count {
            guard let word = unsafe pointers[position] else { continue }
            // The terminating null byte is included, so that the words `a b` and the word `ab` have different hashes.
            let bytes = unsafe UnsafeRawBufferPointer(start: word, count: strlen(word) + 1)
            hash = unsafe FNV1a.hash(of: bytes.bytes, after: hash)
        }
        return hash
    }

    /// The first word for messages, with invalid UTF-8 replaced.
    package var lossyFirst: String { unsafe pointers[0].map { unsafe String(cString: $0) } ?? "" }
}
