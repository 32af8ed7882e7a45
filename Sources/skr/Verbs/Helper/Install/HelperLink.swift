import CommandSupport
import Glibc
import SystemPackage

/// The link through which a client starts its helper.
struct HelperLink {
    enum State: Equatable {
        case absent
        /// It leads to this program.
        case here
        /// It leads to another file called `skr`.
        case otherSkr(String)
        /// Something that is not ours, described in words.
        case foreign(String)
    }

    let folder: String
    let name: String

    var path: String { "\(folder)/\(name)" }

    var state: State {
        var (found, target, own) = (stat(), stat(), stat())
        guard unsafe lstat(path, &found) == 0 else { return .absent }
        guard found.st_mode & S_IFMT == S_IFLNK, let leadsTo = try? WalkedPath.linkTarget(path) else {
            return .foreign(found.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a file, not a link")
        }
        if unsafe stat(path, &target) == 0, unsafe stat("/proc/self/exe", &own) == 0,
            target.st_ino == own.st_ino, target.st_dev == own.st_dev
        {
            return .here
        }
        let isSkr = leadsTo == "skr" || leadsTo.hasSuffix("/skr")
        return isSkr ? .otherSkr(leadsTo) : .foreign("a link to \(Display.quoted(leadsTo))")
    }

    /// Creates the link and its folder; returns false if our link exists already.
    ///
    /// It never overwrites anything.
    func make(to executable: String) throws(CommandError) -> Bool {
        switch state {
        case .here: return false
        case .absent: break
        case .otherSkr(let target): throw taken("a link to \(Display.quoted(target))")
        case .foreign(let what): throw taken(what)
        }
        guard WalkedPath(executable).places(openTo: 0o002).isEmpty else {
            throw CommandError(
                exitCode: .noPermission,
                message: "others could replace \(Display.quoted(executable)), which the client would start",
                hint: "move skr to a folder of programs, such as /usr/local/bin or ~/.local/bin")
        }
        try LinkFolder.make(folder, mode: 0o755)
        if unsafe symlink(executable, path) == 0 { return true }
        let error = Errno.last
        // Another install has just created it.
        if error == .fileExists, state == .here { return false }
        throw failure("create", error)
    }

    /// Whether 'skr helper install' can have created this link.
    ///
    /// The links of a package are in the system's folder of programs, or lead to `skr` without an absolute path.
    var isInstalled: Bool {
        guard !["/bin", "/usr/bin"].contains(folder), let target = try? WalkedPath.linkTarget(path) else {
            return false
        }
        return leadsToSkr && target.utf8.first == UInt8(ascii: "/")
    }

    /// Whether it leads to this program or another `skr`.
    var leadsToSkr: Bool {
        switch state {
        case .here, .otherSkr: true
        case .absent, .foreign: false
        }
    }

    func remove() throws(CommandError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("remove", .last) }
    }

    private func taken(_ what: String) -> CommandError {
        CommandError(
            exitCode: .cannotCreate, message: "\(Display.quoted(path)) already exists: it is \(what)",
            hint: "if nobody needs it: rm \(Display.shellWord(path)); otherwise, choose another folder: --dir FOLDER")
    }

    private func failure(_ what: String, _ error: Errno) -> CommandError {
        CommandError(
            exitCode: error == .fileExists ? .cannotCreate : .noPermission,
            message: "can't \(what) \(Display.quoted(path)): \(error.reason)",
            hint: "choose a folder that you can write to: --dir FOLDER")
    }
}
