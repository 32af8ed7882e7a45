import Glibc

/// Lets the Swift runtime start where `/proc` is not mounted.
///
/// A static runtime looks in `/proc/self/exe` for where a backtracer may be, and ends the process where it can't. Told where
/// to look, it finds none and goes on.
enum RuntimeStart {
    private static let variable = "SWIFT_ROOT"
    private nonisolated(unsafe) static var isOurs = false

    /// Before the runtime's constructors.
    static func prepare() {
        guard unsafe access("/proc/self/exe", F_OK) != 0, unsafe getenv(variable) == nil else { return }
        unsafe isOurs = setenv(variable, "/nonexistent", 0) == 0
    }

    /// Whether this entry of the environment is from here, and not for a child.
    static func added(_ entry: UnsafePointer<CChar>) -> Bool {
        guard unsafe isOurs else { return false }
        return unsafe strncmp(entry, "SWIFT_ROOT=", 11) == 0
    }

    /// Takes it back, so that no child inherits it.
    static func finish() {
        if unsafe isOurs { unsafe unsetenv(variable) }
    }
}
