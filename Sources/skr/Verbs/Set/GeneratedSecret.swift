import Glibc
import Keyutils
import SystemPackage

/// A secret of random characters.
enum GeneratedSecret {
    static let usualLength = 32
    /// Fewer characters could be guessed, and more are a mistake.
    static let lengths = 8...4_096

    /// There are 64 of them, so that each takes six bits of a byte and all are equally likely.
    private static let characters: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

    /// The most bytes that one call of `getentropy(3)` returns.
    private static let piece = 256

    /// Creates a secret from the kernel's random source.
    ///
    /// The corresponding C function is `getentropy(3)`.
    static func make(length: Int) throws(Errno) -> SecretBytes {
        try unsafe SecretBytes(capacity: length) { buffer throws(Errno) in
            for start in stride(from: 0, to: length, by: piece) {
                let count = min(piece, length - start)
                guard unsafe getentropy(buffer.baseAddress?.advanced(by: start), count) == 0 else { throw .last }
            }
            for position in 0..<length {
                unsafe buffer[position] = unsafe characters.utf8Start[Int(buffer[position] & 63)]
            }
            return length
        }
    }
}

extension SetCommand {
    /// Returns the words, with the usual length after each `--generate` without a length.
    ///
    /// The argument parser has no options whose value is optional.
    static func completingLength(_ words: [String]) -> [String] {
        var complete: [String] = []
        for word in words {
            if complete.last == "--generate", !complete.contains("--") {
                let isLength = !word.isEmpty && word.utf8.allSatisfy(\.isDigit)
                complete[complete.count - 1] = "--generate=\(isLength ? word : "\(GeneratedSecret.usualLength)")"
                if isLength { continue }
            }
            complete.append(word)
        }
        if complete.last == "--generate", !complete.contains("--") {
            complete[complete.count - 1] = "--generate=\(GeneratedSecret.usualLength)"
        }
        return complete
    }
}
