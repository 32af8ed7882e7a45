package import Glibc

/// A process as the line in `/proc/PID/stat` describes it; see proc_pid_stat(5).
package struct ProcessRecord {
    /// The name that the kernel keeps, of at most 15 bytes for a program.
    package let name: String
    package let parent: pid_t
    /// Whether it is a zombie without other threads, which would be a process whose first thread has ended.
    package let hasEnded: Bool
    /// The kernel's flags, PF_ in linux/sched.h.
    package let flags: UInt32
    package let threads: Int
    /// When the process started, in clock ticks since the machine did.
    package let startTime: UInt64

    /// Returns `nil` if `/proc` doesn't show the process.
    package init?(_ id: pid_t) {
        guard let line = try? readProcFile("/proc/\(id)/stat") else { return nil }
        self.init(parsing: line)
    }

    /// Whether `/proc` shows the pid namespace of this process.
    ///
    /// The `/proc` of an outer pid namespace shows other processes under our numbers. The line `NSpid` in
    /// `/proc/self/status` then has several numbers.
    package static var isProcOfOwnNamespace: Bool {
        guard let status = try? readProcFile("/proc/self/status") else { return false }
        let line = status.split(separator: "\n").first { $0.hasPrefix("NSpid:") }
        return line?.dropFirst(6).utf8.split { $0.isBlank }.map { pid_t(Substring($0)) } == [getpid()]
    }

    package init?(parsing line: String) {
        // The name can contain parentheses and spaces.
        guard let start = line.utf8.firstIndex(of: UInt8(ascii: "(")),
            let end = line.utf8.lastIndex(of: UInt8(ascii: ")")), start < end
        else { return nil }
        let fields = Array(line[end...].utf8.split(separator: UInt8(ascii: " ")).dropFirst())
        guard fields.count > 19, let parent = pid_t(Substring(fields[1])), let flags = UInt32(Substring(fields[6])),
            let threads = Int(Substring(fields[17])), let startTime = UInt64(Substring(fields[19]))
        else { return nil }
        name = String(line[line.utf8.index(after: start)..<end])
        self.parent = parent
        hasEnded = threads <= 1 && [UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(fields[0].first)
        self.flags = flags
        self.threads = threads
        self.startTime = startTime
    }
}
