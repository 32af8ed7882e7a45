import Glibc
import Keyutils
import SecretText
package import SessionKeyring

/// The place of an account's login: an item of the namespace `oauth`, in the scope of the account's tokens.
package struct StoredLogin: Sendable {
    package static let namespace = "oauth"

    let backend: any SecretBackend
    let item: ItemIdentity

    package init(_ store: SecretStore, service: String, account: String) {
        (backend, item) = (store.backend, .credential(service: service, account: account))
    }

    /// The name of the lease under which the login is refreshed.
    var leaseName: String { "oauth\(item.keyDescription.dropFirst(item.kind.rawValue.utf8.count))" }

    /// Reads the login; `nil` if there isn't one, or if it has ended.
    package func read() throws(OAuthError) -> Login? {
        var login: Login?
        try attempt { _ throws(SecretStoreError) in
            .done(try backend.read(item) { login = Login($0) })
        }
        return login.flatMap { $0.isOver ? nil : $0 }
    }

    /// Stores a new login in place of any other, or deletes the other one; returns that one.
    @discardableResult
    package func replace(with login: Login?) throws(OAuthError) -> Login? {
        var old: Login?
        try change { current in
            (old, current) = (current, login)
            return true
        }
        return old
    }

    /// Reserves the room for a login until this process ends, before the user logs in.
    package func reserve() throws(OAuthError) {
        try attempt { effort throws(SecretStoreError) in
            try backend.beginFetch(of: item, reserving: 2_048, effort)
        }
    }

    /// Changes the login in one step, which loses no other write.
    ///
    /// - Parameter change: changes the current login, or returns false. It can be called again.
    func change(_ change: (inout Login?) -> Bool) throws(OAuthError) {
        let update = try attempt { effort throws(SecretStoreError) in
            try backend.beginUpdate(of: item, lasting: .seconds(2), effort)
        }
        var isDone = false
        while !isDone {
            var login: Login?
            let isThere = try attempt { _ throws(SecretStoreError) in
                .done(try update.read { login = Login($0) })
            }
            guard change(&login), login != nil || isThere else { return }
            let (new, record) = (login, login.map { SecretBox($0.record) })
            isDone = try attempt { effort throws(SecretStoreError) in
                guard let new, let record else { return try update.commit(nil, timeout: nil, nil, effort) }
                return try record.bytes.withBytes { bytes throws(SecretStoreError) in
                    try update.commit(bytes, timeout: new.timeout, nil, effort)
                }
            }
        }
    }

    /// Repeats an attempt while others are in the way.
    @discardableResult
    func attempt<Result>(
        upTo limit: Duration = Wait.usualLimit, _ body: (Effort) throws(SecretStoreError) -> Outcome<Result>
    ) throws(OAuthError) -> Result {
        do throws(SecretStoreError) {
            var wait = Wait(upTo: limit)
            return try wait.run(body)
        } catch {
            throw OAuthError(error)
        }
    }
}

extension Login {
    /// Whether the login's end has passed.
    var isOver: Bool { end.map { $0 <= Int64(time(nil)) } ?? false }

    /// The time left, at least a second; `nil` for a login that ends with its scope.
    var timeout: KeyTimeout? {
        end.flatMap { try? KeyTimeout(.seconds(min(max($0 - Int64(time(nil)), 1), Int64(Int32.max)))) }
    }
}
