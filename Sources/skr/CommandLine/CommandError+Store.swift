package import CommandSupport
import Keyutils
package import SessionKeyring

extension CommandError {
    init(_ error: SecretStoreError) {
        self.init(
            exitCode: ExitCode(error.code), message: error.message, hint: error.hint,
            // The message about a full quota already contains the numbers.
            detail: error.quota == nil ? error.underlying?.description : nil)
        if error.code == .sessionRevoked {
            secondHint = "if a server of an earlier login runs skr, stop it: 'bazel shutdown', 'gradle --stop'"
        }
    }

    /// Runs `body` and converts its errors to `CommandError`.
    static func translating<Result: ~Copyable>(_ body: () throws -> Result) throws(CommandError) -> Result {
        do {
            return try body()
        } catch let error as CommandError {
            throw error
        } catch let error as SecretStoreError {
            throw CommandError(error)
        } catch let error as KeyringError {
            throw CommandError(SecretStoreError(error))
        } catch {
            throw .internalError("\(error)", hint: nil)
        }
    }
}

extension ExitCode {
    package init(_ code: SecretStoreError.Code) {
        self =
            switch code {
            case .notFound: .noItem
            case .invalidName, .invalidTimeout: .usage
            case .undecodable, .ambiguous: .data
            case .unavailable, .sessionRevoked: .unavailable
            case .duplicate: .cannotCreate
            case .quotaExceeded, .contended, .leaseHeld, .leaseLost, .fetchTimedOut, .fetchFailed: .tryAgain
            case .forbidden, .foreignSession: .noPermission
            case .tooLarge, .unencodable, .unexpected: .internalError
            }
    }
}

extension SecretStoreError {
    /// The library's summary, with names that can't play tricks on a terminal.
    private var displaySummary: String {
        if case .restricted? = detail { return "a program has restricted the keyring, so nothing can be stored in it" }
        guard case .ambiguous(let accounts) = code else { return summary }
        return Code.ambiguous(accounts: accounts.map(Display.plain)).summary
    }

    /// The item's name as the user wrote it and the library's summary, without the kernel's error.
    fileprivate var message: String {
        guard let item else { return displaySummary }
        let name = Display.name(of: item)
        return "\(name.isEmpty ? "item" : name): \(displaySummary)"
    }

    /// How to fix the error with the command.
    package var hint: String {
        if let detail { return detail.hint }
        return switch code {
        case .notFound: MissingItem.usualHint
        case .invalidName: "choose another name"
        case .duplicate: "leave out --new to replace it"
        case .forbidden: "run skr in the session that stored the secret, or use --scope user"
        case .foreignSession:
            "start your own session with 'exec skr session', or use --scope user; to share this one, --scope session; "
                + "see \(Guide.loginEnvironments.reference)"
        case .ambiguous: "name the account too: skr VERB SERVICE ACCOUNT, or skr://SERVICE/ACCOUNT"
        case .sessionRevoked:
            "log in again, or start a new session with 'exec skr session'; see \(Guide.loginEnvironments.reference)"
        case .quotaExceeded:
            "delete items you no longer need ('skr list --all'), or raise the quota: 'skr doctor' has root's command, "
                + "the package skr-quota keeps it"
        case .tooLarge where isLimitOfQuota:
            "split it, or raise the quota: 'skr doctor' has root's command, the package skr-quota keeps it"
        case .undecodable: "read it as the type that was stored, or look at it with 'skr get'"
        case .invalidTimeout: "write the duration as \(DurationText.forms), at most 4294967295s"
        case .tooLarge: "split it, or keep it elsewhere and store its location"
        case .unavailable:
            "in a container, allow add_key and keyctl in its seccomp profile; otherwise, use a kernel with CONFIG_KEYS"
        case .unencodable: "store a value that the codec can encode"
        case .contended, .leaseHeld, .fetchTimedOut: "try again"
        case .leaseLost: "don't stop the process while it holds the lease"
        case .fetchFailed: "try again later; the process that tried to fetch it got the reason"
        case .unexpected: "look up the error number in errno(3)"
        }
    }
}

extension SecretStoreError.Detail {
    /// How to fix the error with the command.
    fileprivate var hint: String {
        switch self {
        case .restricted: "start a new session with 'exec skr session', or choose another --scope"
        case .leaseDuration: "write --timeout as \(DurationText.forms); skr renews the lock while the command runs"
        case .refreshTime: "pass a --timeout, and a shorter --refresh-before"
        case .unreadableAfterWrite: "find the program that keeps removing the keyring; 'keyctl show' lists the keyrings"
        case .foreignThread: "use another scope"
        case .missingValue, .insideUpdate, .insideFetch, .fetchLimit, .unsealed, .unopened: "report this error"
        case .unsupported: "'skr doctor' shows which features this kernel has"
        case .noThread: "end some processes, or raise their limit: ulimit -u"
        case .source(_, let hint): hint ?? "try again later"
        case .blocked, .heldLease: "try again"
        case .lostLease: "don't stop the process while it holds the lease"
        case .invalidName(.empty, .item): "name the service"
        case .invalidName(.empty, let subject): "give the \(subject.rawValue) a name"
        case .invalidName(.tooLong, .item): "choose a shorter name"
        case .invalidName(.tooLong, let subject): "choose a shorter name for the \(subject.rawValue)"
        }
    }
}
