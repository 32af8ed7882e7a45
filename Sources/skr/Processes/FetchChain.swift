import CommandSupport
import Glibc
import Keyutils
import SessionKeyring

/// The outputs that wait for this process: each command that runs for an output gets their list in a variable.
///
/// A link is `KEYRING/NAMESPACE/ITEM@PROCESS.START`. It counts only while that process, which fetches the item, still
/// runs: a program that the command left in the background can ask for the item later.
enum FetchChain {
    static let variable = "SKR_FETCHING"

    /// How many outputs wait for this process.
    static var depth: Int { running.count }

    /// The links of the processes that still run, the outermost first.
    private static var running: [Substring.UTF8View] {
        let chain = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""
        return chain.utf8.split(separator: UInt8(ascii: " ")).filter(isRunning)
    }

    /// Returns the links of the processes that still run, and one for an item that this process fetches.
    ///
    /// - Throws: ``CommandError`` with 65 if a running process fetches the item.
    static func adding(
        _ item: ItemIdentity, namespace: String, in store: SecretStore?
    ) throws(CommandError) -> String {
        let anchor = store?.backend.place?.anchor.rawValue ?? 0
        let name = "\(anchor)/\(SecretReference.encode(namespace))/\(item.keyDescription)@"
        let links = running
        guard !links.contains(where: { $0.starts(with: name.utf8) }) else {
            throw .data(
                "\(Display.name(of: item)): its command asks for the item itself",
                hint: "change the command, so that it needs no answer that waits for it")
        }
        let link = "\(name)\(getpid()).\(ProcessRecord(getpid())?.startTime ?? 0)"
        return (links.map { String(Substring($0)) } + [link]).joined(separator: " ")
    }

    private static func isRunning(_ link: Substring.UTF8View) -> Bool {
        guard let end = link.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let parts = link[end...].dropFirst().split(separator: UInt8(ascii: "."))
        guard parts.count == 2, let id = pid_t(Substring(parts[0])), let start = UInt64(Substring(parts[1])) else {
            return false
        }
        // Without /proc, a process that another one has replaced counts too.
        return ProcessRecord(id).map { $0.startTime == start } ?? (kill(id, 0) == 0 || errno == EPERM)
    }
}
