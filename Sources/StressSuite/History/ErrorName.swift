import Keyutils
import SessionKeyring

/// An error that a call threw, as metrics name it.
enum ErrorName: String, BitwiseCopyable {
    case quotaExceeded = "the quota is full"
    case contended = "others got in the way"
    case leaseHeld = "somebody else holds the lease"
    case leaseLost = "the lease was lost"
    case forbidden = "forbidden"
    case unavailable = "no keyring"
    case sessionRevoked = "the session is revoked"
    case notFound = "not found"
    case undecodable = "can't be decoded"
    case unreadableAfterWrite = "can't be read back"
    case unexpected = "unexpected"
    case other = "not the store's"

    init(_ error: any Error) {
        let error = error as? SecretStoreError
        self =
            switch error?.code {
            case .quotaExceeded: .quotaExceeded
            case .contended: .contended
            case .leaseHeld: .leaseHeld
            case .leaseLost: .leaseLost
            case .forbidden: .forbidden
            case .unavailable: .unavailable
            case .sessionRevoked: .sessionRevoked
            case .notFound: .notFound
            case .undecodable: .undecodable
            case .unexpected: error?.detail == .unreadableAfterWrite ? .unreadableAfterWrite : .unexpected
            default: .other
            }
    }
}
