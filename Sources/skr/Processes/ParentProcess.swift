import Glibc
import Keyutils

/// The process that has started this one, as `/proc/PID` describes it; see proc(5).
struct ParentProcess {
    let id: pid_t
    /// The name of the executable file, or else the name that the kernel keeps: that of a script, for example.
    let name: String
    let threads: Int
    /// Whether it was forked and has not called `exec` since, as a subshell.
    let isSubshell: Bool

    /// Returns `nil` if `/proc` doesn't show it.
    static func current() -> ParentProcess? {
        let id = getppid()
        return (try? readProcFile("/proc/\(id)/stat")).flatMap { ParentProcess(id: id, parsing: $0) }
    }

    init?(id: pid_t, parsing stat: String) {
        // The name can contain parentheses and spaces.
        guard let start = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")"), start < end else { return nil }
        let fields = stat[end...].split(separator: " ").dropFirst()
        guard fields.count > 17, let flags = UInt32(fields[fields.startIndex + 6]),
            let threads = Int(fields[fields.startIndex + 17])
        else { return nil }
        self.id = id
        let file = try? LinkedPath.linkTarget("/proc/\(id)/exe")
        self.name = String(file?.split(separator: "/").last ?? stat[start..<end].dropFirst())
        self.threads = threads
        // PF_FORKNOEXEC from linux/sched.h.
        isSubshell = flags & 0x40 != 0
    }

    /// Whether the name is a shell's, perhaps with additions such as those of `ksh93`, `zsh-5.9` or `bash (deleted)`.
    var isShell: Bool {
        let shells = [
            "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "lksh", "mksh", "nu", "oksh", "osh",
            "posh", "rbash", "sh", "tcsh", "toybox", "xonsh", "yash", "zsh",
        ]
        return name.split { !$0.isLetter }.contains { shells.contains(String($0)) }
    }
}
