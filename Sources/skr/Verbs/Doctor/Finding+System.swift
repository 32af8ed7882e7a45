import Glibc
import Keyutils

/// The checks of the kernel and of this process's environment.
extension Finding {
    /// Reports whether a filter blocks the system calls of the key facility.
    static func calls(refused refusals: [(call: KeyFacility.Call, error: KeyringError)]) -> Finding {
        let isFiltered = KeyFacility.isFiltered
        let facts = JSONValue.object([
            "blocked": .array(refusals.map { .string($0.call.rawValue) }), "seccompFilter": JSONValue(isFiltered),
        ])
        guard let first = refusals.first else {
            return .ok("calls", "the kernel's key calls are allowed (add_key, keyctl and request_key)", facts)
        }
        let calls = refusals.map { "\($0.call.rawValue) (errno \($0.error.errno))" }.joined(separator: ", ")
        if first.error.code == .unavailable, isFiltered == false {
            return .problem("calls", "this kernel has no key facility: \(calls)", hint: .newKernel, facts)
        }
        let cause = isFiltered == false ? "a security module" : "a seccomp filter, as in a container,"
        return refusals.contains { $0.call != .requestKey }
            ? .problem("calls", "\(cause) blocks \(calls)", hint: .allowCalls, facts)
            : .warning("calls", "\(cause) blocks \(calls), which skr hardly needs", hint: .allowCalls, facts)
    }

    /// Reports whether the kernel's key facility has the features that skr needs.
    static func features() -> Finding {
        let found: KeyringCapabilities
        do throws(KeyringError) {
            found = try KeyringCapabilities.query()
        } catch {
            let isOld = error.code == .unsupported
            let reason = isOld ? "this kernel is older than 5.3, and can't move a key in one step" : "\(error)"
            return .problem("features", reason, hint: isOld ? .newKernel : .allowCalls, .null)
        }
        let hasPersistent = found.contains(.persistentKeyrings)
        let facts = JSONValue.object(["persistentKeyrings": .bool(hasPersistent)])
        guard found.contains([.move, .invalidate]) else {
            let text = "this kernel can't move or invalidate a key, which atomic writes need"
            return .problem("features", text, hint: .newKernel, facts)
        }
        let persistent = hasPersistent ? "persistent keyrings" : "no persistent keyrings, so no persistent scope"
        return .ok(
            "features",
            "the kernel has all that skr needs (atomic writes with move and invalidate; \(persistent))", facts)
    }

    /// Reports whether user IDs here are the machine's user IDs.
    static func userNamespace(of place: Place) -> Finding {
        let isInitial = try? UserNamespace.isIdentity()
        let facts = JSONValue.object(["isInitial": JSONValue(isInitial), "userID": JSONValue(geteuid())])
        let inOneOfItsOwn = "a separate one: its user and persistent scopes are not those of the same user outside"
        switch isInitial {
        case true?: return .ok("user-namespace", "none: user IDs are the machine's", facts)
        case false? where place.secretScope == .sharedSession:
            return .ok("user-namespace", "\(inOneOfItsOwn); SKR_SCOPE is session, which is shared", facts)
        case false?: return .warning("user-namespace", inOneOfItsOwn, hint: .sayScope, facts)
        case nil:
            return .warning("user-namespace", "unknown: /proc/self/uid_map can't be read", hint: .mountProc, facts)
        }
    }

    /// Reports whether `/proc/keys`, the only source, shows how much time a secret has left.
    static func timeLeft(seenBy probes: [ScopeProbe]) -> Finding {
        let isReadable = (try? KeyTable.snapshot()) != nil
        let isKnown = isReadable && probes.allSatisfy(\.isTimeLeftKnown)
        let facts = JSONValue.object(["known": .bool(isKnown)])
        if isKnown { return .ok("time-left", "known, from /proc/keys", facts) }
        let reason = isReadable ? "/proc/keys does not show our own keys" : "/proc/keys can't be read"
        return .warning("time-left", "unknown: \(reason); timeouts work anyway", hint: .mountProc, facts)
    }

    /// Reports whether the memory for secrets is locked, so that it can't be swapped out.
    static func memoryLock() -> Finding {
        let limit = MemoryLockLimit.current
        // Allocates such memory, in case no probe has done so.
        let isAllocated = SecretBytes(copying: [UInt8](repeating: 0, count: Key.largestUserPayload)).count > 0
        let error = isAllocated ? SecretBytes.memoryLockError : nil
        let facts = JSONValue.object([
            "locked": .bool(error == nil), "limit": JSONValue(limit?.soft), "errno": JSONValue(error),
        ])
        let bound = limit?.soft.map { "\($0) bytes" } ?? "unlimited"
        guard let error else {
            return .ok(
                "memory-lock", "secrets in skr's memory are never swapped out (locked; RLIMIT_MEMLOCK \(bound))", facts)
        }
        let weakness = "while skr runs, secrets in its memory can be swapped out"
        // The kernel itself returns EPERM only if the limit is 0. With any other limit, a filter has returned it.
        guard error != ENOSYS, error != EPERM || limit?.soft == 0 else {
            let text = "\(weakness): a seccomp filter, as in a container, blocks mlock2 (errno \(error))"
            return .warning("memory-lock", text, hint: .allowMemoryLock, facts)
        }
        let mayRaise = limit.map { $0.hard ?? .max >= 8_388_608 } ?? false
        return .warning(
            "memory-lock", "\(weakness): RLIMIT_MEMLOCK is too small (\(bound))",
            hint: mayRaise ? .raiseOwnLimit : .raiseLimit, facts)
    }
}
