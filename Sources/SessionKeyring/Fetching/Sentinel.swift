import Keyutils

/// A value that was read, with the hash by which sentinels refer to it.
package struct Found<Value> {
    package let value: Value
    let hash: UInt64

    package init(_ value: Value, from bytes: RawSpan) {
        self.value = value
        hash = FNV1a.hash(of: bytes)
    }
}

/// The content of a sentinel: a statement about one value of an item.
///
/// A sentinel is a hidden item next to the item. It refers to the value by its hash, and states nothing about any
/// other value.
enum Sentinel: Equatable {
    case fresh(UInt64)
    case refused(UInt64)

    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 9 else { return nil }
        let hash = bytes.word(at: 1)
        switch unsafe bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) {
        case 1: self = .fresh(hash)
        case 2: self = .refused(hash)
        default: return nil
        }
    }

    /// The hash of the value that the statement is about.
    var hash: UInt64 {
        switch self {
        case .fresh(let hash), .refused(let hash): hash
        }
    }

    /// The hash of the refused value; `nil` if the statement is not a refusal.
    var refusal: UInt64? { if case .refused(let hash) = self { hash } else { nil } }

    var bytes: InlineArray<9, UInt8> {
        let (kind, hash): (UInt8, UInt64) = (refusal == nil ? 1 : 2, hash)
        return InlineArray { place in place == 0 ? kind : UInt8(truncatingIfNeeded: hash >> (8 * UInt64(place - 1))) }
    }
}

/// The earlier refusals that a new sentinel overwrites.
enum Refusal {
    /// Every refusal; for a value that a caller has stored by `set` or `add`.
    case any
    /// Only the refusal of the value with this hash, which was known when a fetch began.
    case of(UInt64?)

    func covers(_ hash: UInt64) -> Bool {
        switch self {
        case .any: true
        case .of(let known): known == hash
        }
    }
}

extension SecretBackend {
    /// Reads the sentinel with this name; `nil` if there isn't one, or if the bytes are not a sentinel's.
    func sentinel(_ name: ItemIdentity) throws(SecretStoreError) -> Sentinel? {
        var sentinel: Sentinel?
        _ = try read(name) { bytes in sentinel = Sentinel(bytes) }
        return sentinel
    }

    /// Returns the step that writes or deletes the sentinel which states that an item's value is fresh or usable.
    ///
    /// The step changes nothing if the value has been refused in the meantime. It also changes nothing if another value
    /// is stored by now and the sentinel is about that value: the writer of that value wrote the sentinel.
    ///
    /// - Parameters:
    ///   - name: the sentinel's name.
    ///   - isTrue: whether the step writes the sentinel; otherwise it deletes an existing one.
    ///   - refusal: the earlier refusals that the step overwrites.
    private func sentinelStep(
        _ name: ItemIdentity, _ isTrue: Bool, of item: ItemIdentity, hash: UInt64, timeout: RunningTimeout?,
        lifting refusal: Refusal
    ) -> Wait.FurtherStep {
        var operation = UpdateOperation(name, in: self)
        return Wait.FurtherStep { effort throws(SecretStoreError) in
            try operation.attempt(effort) { update throws(SecretStoreError) in
                var present: Sentinel?
                _ = try update.read { bytes in present = Sentinel(bytes) }
                var stored: UInt64?
                _ = try self.read(item) { bytes in stored = FNV1a.hash(of: bytes) }
                if stored == hash {
                    if present == .refused(hash), !refusal.covers(hash) { return .done(true) }
                } else if let stored, present?.hash == stored {
                    return .done(true)
                }
                guard isTrue, timeout?.hasPassed != true, stored == hash else {
                    return try update.commit(nil, timeout: nil, effort)
                }
                let record = Sentinel.fresh(hash).bytes
                return try unsafe update.commit(record.span.bytes, timeout: timeout?.left, effort)
            }
        }
    }

    /// Returns the steps after which the sentinels of an item expire no later than the item.
    ///
    /// Sentinels must not outlive the secret, because they contain a hash of it. A refusal then expires at the same
    /// time as the item. Any other sentinel never expires later than it would have.
    ///
    /// - Parameter timeout: the timeout that the item has just been given.
    func stepsToExpireSentinels(of item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> [Wait.FurtherStep] {
        var steps: [Wait.FurtherStep] = []
        for name in item.sentinels {
            // Look only once, because each look reads `/proc/keys`.
            guard let expiry = try attributes(of: name)?.expiry else { continue }
            var limit: Duration? = timeout
            if try sentinel(name)?.refusal == nil {
                switch expiry {
                case .never: break
                case .after(let left) where left.atLeast + left.precision <= timeout: continue
                case .after(let left): limit = min(timeout, max(left.atLeast, .seconds(1)))
                case .unknown: limit = nil
                }
            }
            let running = try limit.map { limit throws(SecretStoreError) in
                RunningTimeout(try KeyTimeout(limit, of: name))
            }
            if let running {
                steps.append(
                    Wait.FurtherStep { effort throws(SecretStoreError) in
                        switch try self.expire(name, timeout: running.left, effort) {
                        case .done: .done(())
                        case .blocked(let error, let step): .blocked(error, after: step)
                        }
                    })
            } else {
                steps.append(.deleting(name, in: self))
            }
        }
        return steps
    }

    /// Returns the steps after which refusals live as long as the item, whose timeout was removed.
    ///
    /// Other sentinels keep their timeouts. Without one, a value would be fresh forever.
    func stepsToKeepRefusals(of item: ItemIdentity) -> [Wait.FurtherStep] {
        item.sentinels.map { name in
            var operation = UpdateOperation(name, in: self)
            return Wait.FurtherStep { effort throws(SecretStoreError) in
                guard try self.sentinel(name)?.refusal != nil else { return .done(()) }
                return try operation.attempt(effort) { update throws(SecretStoreError) in
                    var present: Sentinel?
                    _ = try update.read { bytes in present = Sentinel(bytes) }
                    guard let record = present, record.refusal != nil else { return .done(true) }
                    let bytes = record.bytes
                    return try unsafe update.commit(bytes.span.bytes, timeout: nil, effort)
                }
            }
        }
    }

    /// Returns the steps that state how long a value that was just stored is fresh and usable.
    func stepsAfterStoring(
        _ item: ItemIdentity, hash: UInt64, _ lifetime: Lifetime, refreshing: FetchPolicy.Refreshing,
        lifting refusal: Refusal
    ) throws(SecretStoreError) -> [Wait.FurtherStep] {
        var steps: [Wait.FurtherStep] = []
        if refreshing == .dueOrUnusable {
            steps.append(
                sentinelStep(
                    item.usableSentinel, lifetime.isUsable, of: item, hash: hash, timeout: lifetime.usable,
                    lifting: refusal))
        }
        // A caller that never refreshes does not state that the value is fresh. A sentinel about another value does no
        // harm.
        let isFresh = lifetime.isFresh && refreshing != .never
        var isNeeded = isFresh
        if !isNeeded { isNeeded = try contains(item.freshnessSentinel) }
        if isNeeded {
            steps.append(
                sentinelStep(
                    item.freshnessSentinel, isFresh, of: item, hash: hash, timeout: lifetime.fresh, lifting: refusal))
        }
        return steps
    }
}
