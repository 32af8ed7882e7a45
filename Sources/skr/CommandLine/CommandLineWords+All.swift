import CRuntimeStart
import CommandSupport

extension CommandLineWords {
    static func all() -> CommandLineWords {
        unsafe CommandLineWords(count: Int(start_count()), pointers: start_words())
    }

    /// The last component of the name by which this program was called.
    ///
    /// If the program was called through a link, this is the link's name.
    static var programName: String {
        let name = unsafe String(cString: start_name())
        return name.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
    }
}
