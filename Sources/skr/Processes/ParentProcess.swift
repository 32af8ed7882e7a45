import CommandSupport
import Glibc
import Keyutils

/// The process that has started this one, as `/proc/PID` describes it; see proc(5).
struct ParentProcess {
    let id: pid_t
    /// The name of the executable file, or else the name that the kernel keeps: that of a script, for example.
    ///
    /// For a program of many programs, it is the name of the one that it runs as, such as `crond`.
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
        let program = file.map { Self.lastName($0[...]) } ?? record.name
        let line = Self.isMultiCall(program) ? try? readProcFile("/proc/\(id)/cmdline") : nil
        name = line?.split(separator: "\0").lazy.map(Self.lastName).first { !Self.isMultiCall($0) } ?? program
        threads = record.threads
        // PF_FORKNOEXEC from linux/sched.h.
        isSubshell = record.flags & 0x40 != 0
    }

    private static func lastName(_ path: Substring) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether the name is that of a program which runs as the one that its first word names.
    private static func isMultiCall(_ name: String) -> Bool {
        ["busybox", "toybox"].contains(String(name.prefix { $0.isLetter }))
    }

    /// Whether the name is a shell's, perhaps with additions such as those of `ksh93`, `zsh-5.9` or `bash (deleted)`.
    var isShell: Bool {
        let shells = [
            "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "lksh", "mksh", "nu", "oksh", "osh",
            "posh", "rbash", "sh", "tcsh", "xonsh", "yash", "zsh",
        ]
        return name.split { !$0.isLetter }.contains { shells.contains(String($0)) }
    }
}
