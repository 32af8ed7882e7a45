import CRuntimeStart
import CommandSupport
import Glibc

extension CommandLineWords {
    static func all() -> CommandLineWords {
        unsafe CommandLineWords(count: Int(start_count()), pointers: start_words())
    }

    /// The last component of the name by which this program was called.
    ///
    /// If the program was called through a link, this is the link's name.
    static var programName: String {
        guard let path = unsafe start_name() else { return "" }
        // A long string would be allocated, and freeing the first one takes Swift's runtime a moment.
        let slash = unsafe strrchr(path, CInt(UInt8(ascii: "/")))
        return unsafe slash.map { unsafe String(cString: $0 + 1) } ?? String(cString: path)
    }
}
