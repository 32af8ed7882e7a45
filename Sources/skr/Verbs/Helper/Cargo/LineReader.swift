import CommandSupport
import Keyutils
import SecretText
import SystemPackage

/// Reads a file line by line, and returns each line as soon as it has arrived.
struct LineReader {
    let file: FileDescriptor
    /// The text that was read after the last line.
    private var rest = SecretBox(copying: RawSpan())

    init(_ file: FileDescriptor) {
        self.file = file
    }

    /// Returns the next line without its newline, or `nil` at the end.
    mutating func next() throws(CommandError) -> SecretBox? {
        var searched = 0
        while true {
            if let end = rest.bytes.withBytes({ $0.offset(of: UInt8(ascii: "\n"), from: searched) }) {
                let line = part(0..<end)
                rest = part((end + 1)..<rest.count)
                return line
            }
            searched = rest.count
            guard searched < HelperRequest.limit else { throw HelperRequest.tooLong }
            let more = try read()
            guard more.count > 0 else {
                defer { rest = more }
                return rest.count > 0 ? rest : nil
            }
            let start = rest
            rest = SecretBox(
                SecretBytes { text in
                    text.append(start)
                    text.append(more)
                })
        }
    }

    /// Reads the bytes that have arrived; the result is empty at the end.
    private func read() throws(CommandError) -> SecretBox {
        do {
            return SecretBox(
                try unsafe SecretBytes(capacity: 4_096) { buffer in try unsafe file.readWaiting(into: buffer) })
        } catch {
            throw .internalError("can't read the request: \(error)", hint: nil)
        }
    }

    /// Returns a part of the text that was read after the last line.
    private func part(_ range: Range<Int>) -> SecretBox {
        rest.bytes.withBytes { bytes in SecretBox(copying: bytes.extracting(range)) }
    }
}
