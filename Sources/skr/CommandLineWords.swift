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

    package static func all() -> CommandLineWords {
        unsafe CommandLineWords(count: Int(CommandLine.argc) - 1, first: CommandLine.unsafeArgv + 1)
    }

    /// The word at this position; `nil` where it is not UTF-8.
    package subscript(_ position: Int) -> String? {
        guard position < count, let word = unsafe first[position] else { return nil }
        return unsafe String(validatingCString: word)
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
}

extension CommandLineWords {
    /// Words made up by a test; they are never freed.
    package init(leaking words: [String]) {
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (position, word) in words.enumerated() { unsafe copies[position] = strdup(word) }
        unsafe self.init(count: words.count, first: copies)
    }
}
