import CommandSupport
import Glibc
import Keyutils
import SessionKeyring

/// The outputs that wait for this process: each command that runs for an output gets their list in a variable.
///
/// A link is `KEYRING/NAMESPACE/ITEM@PROCESS.START`. It counts only while that process, which fetches the item, still runs:
/// a program that the command left in the background can ask for the item later.
enum FetchChain {
    static let variable = "SKR_FETCHING"

    /// Returns the inherited chain with one more item.
    ///
    /// - Throws: ``CommandError`` with 65 if a running process fetches the item.
    static func adding(
        _ item: ItemIdentity, namespace: String, in store: SecretStore?
    ) throws(CommandError) -> String {
        let anchor = store?.backend.place?.anchor.rawValue ?? 0
        let name = "\(anchor)/\(SecretReference.encode(namespace))/\(item.keyDescription)@"
        let chain = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""
        for link in chain.utf8.split(separator: UInt8(ascii: " ")) where link.starts(with: name.utf8) {
            guard isRunning(String(Substring(link.dropFirst(name.utf8.count)))) else { continue }
            throw .data(
                "\(Display.name(of: item)): its command asks for the item itself",
                hint: "change the command, so that it needs no answer that waits for it")
        }
        let link = "\(name)\(getpid()).\(ProcessRecord(getpid())?.startTime ?? 0)"
        return chain.isEmpty ? link : "\(chain) \(link)"
    }

    private static func isRunning(_ process: String) -> Bool {
        let parts = process.split(separator: ".")
        guard parts.count == 2, let id = pid_t(parts[0]), let start = UInt64(parts[1]) else { return false }
        // Without /proc, a process that another one has replaced counts too.
        return ProcessRecord(id).map { $0.startTime == start } ?? (kill(id, 0) == 0 || errno == EPERM)
    }
}
