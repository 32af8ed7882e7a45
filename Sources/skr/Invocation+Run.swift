import CommandSupport
import Glibc
import SessionKeyring

extension Invocation {
    /// Does it.
    func run() throws(CommandError) {
        guard looksAndLaunches else { return try perform() }
        try LookupThread.run { exit(Skr.exitCode { () throws(CommandError) in try perform() }) }
    }

    /// Whether it may start a command after a look into keyrings.
    private var looksAndLaunches: Bool {
        switch self {
        case .exec, .inject, .cached, .lock: true
        default: false
        }
    }

    private func perform() throws(CommandError) {
        do {
            switch self {
            case .get(let target, let field): try GetAction(target: target, field: field).run()
            case .set(let target, let timeout, let isNew, let isRaw, let allowsEmpty):
                try SetAction(target: target, timeout: timeout, isNew: isNew, isRaw: isRaw, allowsEmpty: allowsEmpty)
                    .run()
            case .list(let place, let service, let asJSON):
                try ListAction(place: place, service: service, asJSON: asJSON).run()
            case .expire(let target, let timeout): try target.expire(after: timeout)
            case .delete(let target): try target.delete()
            case .clear(let place, let service): try place.clear(service: service)
            case .exec(let request): try ExecAction(request: request).run()
            case .inject(let request): try InjectAction(request: request).run()
            case .session(let request): try SessionAction(request: request).run()
            case .cached(let request): try CachedAction(request: request).run()
            case .forgetCached(let place, let item): try place.forgetCached(item)
            case .lock(let request): try LockAction(request: request).run()
            case .doctor(let place, let asJSON): try DoctorAction(place: place, asJSON: asJSON).run()
            }
        } catch let error as SecretStoreError {
            throw CommandError(error)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(exitCode: .internalError, message: "\(error)", hint: nil)
        }
    }
}

extension Target {
    /// The item of exactly this name: without an account, the one that has none.
    var exactItem: ItemIdentity { .password(service: service, account: account ?? "") }

    /// The item that is meant: without an account, the one that has none, else the only one of the service.
    func meantItem(in store: SecretStore) throws(SecretStoreError) -> ItemIdentity {
        if account != nil { return exactItem }
        return try store.soleItem(of: .password, service: service) ?? exactItem
    }

    fileprivate func expire(after timeout: Duration) throws(SecretStoreError) {
        let store = try place.store()
        let item = try meantItem(in: store)
        guard try store.expire(item, after: timeout) else { throw SecretStoreError(.notFound, item: item) }
    }

    fileprivate func delete() throws(SecretStoreError) {
        let store = try place.store()
        let item = try meantItem(in: store)
        guard try store.delete(item) else { throw SecretStoreError(.notFound, item: item) }
    }
}

extension Place {
    fileprivate func clear(service: String?) throws(SecretStoreError) {
        let store = try store()
        guard let service else { return try store.clear() }
        for item in try store.identities() where item.service.utf8.elementsEqual(service.utf8) {
            try store.delete(item)
        }
    }
}
