import CProcess
import Glibc
import SystemPackage

/// Starts processes that run workers, with a program that calls ``WorkerProcess/run(_:)``.
package struct WorkerLauncher: Sendable {
    package let executable: String
    /// The arguments before the one that the suite adds.
    package let arguments: [String]

    package init(executable: String, arguments: [String] = []) {
        self.executable = executable
        self.arguments = arguments
    }

    /// Starts a process that the kernel kills when the calling thread ends.
    func start(_ process: Int, on sharedLog: SharedLog) throws(StressError) -> pid_t {
        let texts = [executable] + arguments + [String(process)]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { text in unsafe strdup(text) } + [nil]
        defer { unsafe words.forEach { word in unsafe free(word) } }
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        // Ctrl-C is only for the run itself. A worker can ignore it only once it has started, so it starts with these
        // signals blocked.
        for number in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] { unsafe sigaddset(&mask, number) }
        var failure = child_failure()
        let child = unsafe withUnsafePointer(to: &mask) { mask in
            unsafe words.withUnsafeMutableBufferPointer { words in
                var setup = unsafe child_setup(
                    words: words.baseAddress, environment: current_environment(), input: sharedLog.memory.descriptor,
                    output: -1, mask: mask, folder: nil, guard: nil, secrets: nil, secret_count: 0)
                return unsafe start_child(&setup, &failure)
            }
        }
        guard child > 0 else {
            throw StressError(.workerFailed, "can't start \(executable): \(Errno(rawValue: failure.code))")
        }
        return child
    }
}
