import CommandConventions
import Glibc

/// Becomes `skr-stress`, which has what `skr` can do without: Foundation costs each start as much as a get.
struct StressAction {
    private static let program = "skr-stress"

    /// What stands behind the verb.
    let words: CommandLineWords

    func run() throws(CommandError) -> Never {
        // The one that was built with this skr; only without it, one that is in PATH.
        if let neighbour = Self.neighbour, unsafe access(neighbour, X_OK) == 0 { become(neighbour) }
        become(Self.program)
        let code = errno
        guard code != ENOENT else {
            throw CommandError(
                exitCode: .internalError, message: "\(Self.program) is not installed",
                hint: "it belongs beside skr: run 'bash .ci/build' in a clone of SessionKeyring")
        }
        let reason = unsafe String(cString: strerror(code)).lowercased()
        throw CommandError(
            exitCode: .internalError, message: "can't run \(Self.program): \(reason)",
            hint: "install it beside skr: run 'bash .ci/build' in a clone of SessionKeyring")
    }

    /// Returns, with `errno`, if it fails.
    private func become(_ program: String) {
        let name = unsafe strdup(Self.program)
        defer { unsafe free(name) }
        unsafe words.withPointers { words in
            let count = self.words.count
            let all = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 2)
            defer { unsafe all.deallocate() }
            unsafe all[0] = name
            for position in 0...count { unsafe all[position + 1] = words[position] }
            _ = unsafe execvp(program, all)
        }
    }

    private static var neighbour: String? {
        guard let own = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(own) }
        let path = unsafe String(cString: own)
        return path.lastIndex(of: "/").map { path[...$0] + program }
    }
}
