import Keyutils

/// The staged key of the next attempt to take a lease.
///
/// One that did not get in is used again, because adding and dropping a key for each attempt would use up the quota; one
/// that did get in never is.
struct LeaseCandidate {
    private let name: String
    private let permissions: KeyPermissions
    private var staged: Key?

    init(name: String, permissions: KeyPermissions) {
        self.name = name
        self.permissions = permissions
    }

    mutating func prepare(deadline: BootTime) throws(KeyringError) -> (key: Key, record: LeaseRecord) {
        let record = LeaseRecord(deadline: deadline)
        let (name, permissions, staged) = (name, permissions, staged)
        let key = try record.withPayload { payload throws(KeyringError) in
            if let staged {
                try staged.update(payload)
                return staged
            }
            return try Staging.stage(.user, name, payload: payload, permissions: permissions, timeout: nil)
        }
        self.staged = key
        return (key, record)
    }

    mutating func wasPublished() {
        staged = nil
    }

    func discard() {
        if let staged { Staging.discard(staged) }
    }
}
