import Glibc
import Keyutils

/// The machine of a run, and the user who made it.
package struct Machine: Codable, Sendable {
    /// The operating system, as `uname -sr` prints it.
    package var system: String
    /// The architecture, as `uname -m` prints it.
    package var architecture: String
    /// The number of processors that are online.
    package var processors: Int
    package var userID: UInt32

    /// The machine that this process runs on.
    static var current: Machine {
        var name = utsname()
        unsafe uname(&name)
        return Machine(
            system: "\(text(&name.sysname)) \(text(&name.release))", architecture: text(&name.machine),
            processors: sysconf(CInt(_SC_NPROCESSORS_ONLN)), userID: geteuid()
        )
    }

    private static func text<Field>(_ field: inout Field) -> String {
        unsafe withUnsafeBytes(of: &field) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
