import Keyutils
import SessionKeyring

/// The reason why a call gets an error as its answer.
enum ServiceFailure: Error {
    /// An error with this name and message.
    case error(String, String)
    /// The store's error; the call can be repeated if another process blocked it.
    case store(SecretStoreError)
    /// The call's turn has ended before its list was complete.
    case unfinished

    private static let prefix = "org.freedesktop.DBus.Error."

    static func unknownObject(_ path: String) -> Self { .error(prefix + "UnknownObject", "no such object: \(path)") }
    static func unknownMethod(_ name: String) -> Self { .error(prefix + "UnknownMethod", "no such method: \(name)") }
    static func invalid(_ message: String) -> Self { .error(prefix + "InvalidArgs", message) }
    static func notSupported(_ message: String) -> Self { .error(prefix + "NotSupported", message) }
    static func limit(_ message: String) -> Self { .error(prefix + "LimitsExceeded", message) }
    static let noSession = Self.error("org.freedesktop.Secret.Error.NoSession", "the session does not exist")
    static func unknownName(_ name: String) -> Self {
        .error(prefix + "ServiceUnknown", "no program has the name \(name)")
    }
    static func nameWithoutOwner(_ name: String) -> Self {
        .error(prefix + "NameHasNoOwner", "no program has the name \(name)")
    }

    /// Runs `body`, and converts its errors.
    static func converting<Result>(
        _ call: MessageHeader, _ body: () throws -> Result
    ) throws(ServiceFailure) -> Result {
        do {
            return try body()
        } catch let failure as ServiceFailure {
            throw failure
        } catch let error as SecretStoreError {
            throw .store(error)
        } catch is WireError {
            throw .invalid("the arguments of \(call.member ?? "") are malformed")
        } catch {
            throw .error(prefix + "Failed", "\(call.member ?? ""): \(type(of: error))")
        }
    }

    /// Whether the same call can succeed in a moment.
    var isBlocked: Bool {
        guard case .store(let error) = self else { return false }
        return error.code == .contended || error.code == .quotaExceeded
    }

    var name: String {
        switch self {
        case .error(let name, _): return name
        case .unfinished: return Self.prefix + "Timeout"
        case .store(let error):
            switch error.code {
            case .contended: return Self.prefix + "Timeout"
            case .quotaExceeded, .tooLarge: return Self.prefix + "LimitsExceeded"
            case .invalidName: return Self.prefix + "InvalidArgs"
            case .forbidden, .foreignSession: return Self.prefix + "AccessDenied"
            default: return Self.prefix + "Failed"
            }
        }
    }

    /// A text for people, without secrets.
    var message: String {
        switch self {
        case .error(_, let message): return message
        case .unfinished: return "the list takes too long"
        case .store(let error):
            switch error.code {
            case .quotaExceeded:
                return
                    "the user's key quota is full: 'skr list' shows what is stored, and the package skr-quota raises the quota"
            case .tooLarge(let size, let limit):
                return "the secret has \(size) bytes, but "
                    + (error.isLimitOfQuota
                        ? "the user's key quota has room for \(limit) at most; the package skr-quota raises it"
                        : "a key holds \(limit) at most")
            default: return error.summary
            }
        }
    }
}
