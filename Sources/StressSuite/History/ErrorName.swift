import SessionKeyring

/// What a call threw, as figures name it.
enum ErrorName: UInt8, Sendable, CaseIterable {
    case quotaExceeded = 1
    case contended, leaseHeld, leaseLost, forbidden, unavailable, sessionRevoked, notFound, undecodable
    case unreadableAfterWrite, unexpected, other

    init(_ error: any Error) {
        guard let error = error as? SecretStoreError else {
            self = .other
            return
        }
        self =
            switch error.code {
            case .quotaExceeded: .quotaExceeded
            case .contended: .contended
            case .leaseHeld: .leaseHeld
            case .leaseLost: .leaseLost
            case .forbidden: .forbidden
            case .unavailable: .unavailable
            case .sessionRevoked: .sessionRevoked
            case .notFound: .notFound
            case .undecodable: .undecodable
            case .unreadableAfterWrite: .unreadableAfterWrite
            case .unexpected: .unexpected
            default: .other
            }
    }

    var text: String {
        switch self {
        case .quotaExceeded: "the quota is full"
        case .contended: "others got in the way"
        case .leaseHeld: "somebody else holds the lease"
        case .leaseLost: "the lease was lost"
        case .forbidden: "forbidden"
        case .unavailable: "no keyring"
        case .sessionRevoked: "the session is revoked"
        case .notFound: "not found"
        case .undecodable: "can't be decoded"
        case .unreadableAfterWrite: "can't be read back"
        case .unexpected: "unexpected"
        case .other: "not the store's"
        }
    }
}
