import CommandSupport
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
        return ProcessRecord(id).map { ParentProcess(id: id, $0) }
    }

    init(id: pid_t, _ record: ProcessRecord) {
        self.id = id
        let file = try? WalkedPath.linkTarget("/proc/\(id)/exe")
        name = file?.split(separator: "/").last.map(String.init) ?? record.name
        threads = record.threads
        // PF_FORKNOEXEC from linux/sched.h.
        isSubshell = record.flags & 0x40 != 0
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
