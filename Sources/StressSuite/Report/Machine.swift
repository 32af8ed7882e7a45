import Glibc

/// The machine that a run was made on, and by whom.
package struct Machine: Codable, Sendable {
    /// As `uname -sr` tells it.
    package var system: String
    /// As `uname -m` tells it.
    package var architecture: String
    /// Processors that are online.
    package var processors: Int
    package var userID: UInt32

    /// This one.
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
