package import SessionKeyring

/// What a command line asks for, however it was parsed.
package enum Invocation: Equatable {
    case get(Target, field: String?)
    case set(Target, timeout: Duration?, isNew: Bool, isRaw: Bool, allowsEmpty: Bool)
    case list(Place, service: String?, asJSON: Bool)
    case expire(Target, timeout: Duration)
    case delete(Target)
    case clear(Place, service: String?)
    case exec(ExecRequest)
    case inject(InjectRequest)
    case session(SessionRequest)
    case cached(CachedRequest)
    case forgetCached(Place, ItemIdentity)
    case lock(LockRequest)
    case doctor(Place, asJSON: Bool)
}

/// Which item, as the user names it.
package struct Target: Equatable {
    package let place: Place
    package let service: String
    package let account: String?

    package init(place: Place, service: String, account: String?) {
        self.place = place
        self.service = service
        self.account = account
    }
}
