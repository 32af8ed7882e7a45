import Keyutils

/// A value as it was read, with what it is known by to the sentinels beside it.
package struct Found<Value> {
    package let value: Value
    let hash: UInt64

    package init(_ value: Value, from bytes: RawSpan) {
        self.value = value
        hash = LeaseRecord.hash(of: bytes)
    }
}

/// What a hidden item says of the value of the item that it stands beside; of any other value it says nothing.
enum Sentinel: Equatable {
    case fresh(UInt64)
    case refused(UInt64)

    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 9 else { return nil }
        let hash = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 1, as: UInt64.self))
        switch unsafe bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) {
        case 1: self = .fresh(hash)
        case 2: self = .refused(hash)
        default: return nil
        }
    }

    /// The value that it is about.
    var hash: UInt64 {
        switch self {
        case .fresh(let hash), .refused(let hash): hash
        }
    }

    /// The value that was refused.
    var refusal: UInt64? { if case .refused(let hash) = self { hash } else { nil } }

    var bytes: InlineArray<9, UInt8> {
        let (kind, hash): (UInt8, UInt64) = (refusal == nil ? 1 : 2, hash)
        return InlineArray { place in place == 0 ? kind : UInt8(truncatingIfNeeded: hash >> (8 * UInt64(place - 1))) }
    }
}

extension SecretStore {
    func found<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> Found<Value>? {
        try decoding(item) { bytes in Found(try coding.decode(bytes), from: bytes) }
    }

    /// What the sentinel of that name says; `nil` where there is none, or something else bears the name.
    func sentinel(_ name: ItemIdentity) throws(SecretStoreError) -> Sentinel? {
        var sentinel: Sentinel?
        _ = try backend.read(name) { bytes in sentinel = Sentinel(bytes) }
        return sentinel
    }

    /// Says of the item's value that it is fresh or usable, or nothing any more, unless it was refused meanwhile, or another
    /// one is there, of which somebody else says so.
    ///
    /// - Parameters:
    ///   - name: the sentinel's.
    ///   - isSaid: whether it is to be said; else what is said is removed.
    ///   - refusal: what had been refused before, which counts for nothing now.
    ///   - limit: how long to wait for others who set it.
    private func say(
        _ isSaid: Bool, of item: ItemIdentity, hash: UInt64, at name: ItemIdentity, timeout: KeyTimeout?,
        lifting refusal: Refusal, waiting limit: Duration
    ) throws(SecretStoreError) {
        let update = try beginUpdate(of: name, lasting: Self.updateDuration, waiting: limit)
        while true {
            var present: Sentinel?
            _ = try update.read { bytes in present = Sentinel(bytes) }
            let stored = try withBytes(of: item, LeaseRecord.hash(of:))
            if stored == hash {
                if present == .refused(hash), !refusal.covers(hash) { return }
            } else if let stored, present?.hash == stored {
                return
            }
            guard isSaid, stored == hash else {
                if try update.commit(nil, timeout: nil) { return }
                continue
            }
            let record = Sentinel.fresh(hash).bytes
            if try unsafe update.commit(record.span.bytes, timeout: timeout) { return }
        }
    }

    /// Has what is said of an item end no later than the item, whose timeout is this one now: it holds a hash of the secret.
    ///
    /// A refusal ends just then, what is said to be fresh or usable no later than it would have.
    func expireSentinels(of item: ItemIdentity, timeout: Duration) throws(SecretStoreError) {
        for name in item.sentinels {
            guard let expiry = try backend.attributes(of: name)?.expiry else { continue }
            var limit = timeout
            if try sentinel(name)?.refusal == nil {
                switch expiry {
                case .never: break
                case .after(let left) where left.atLeast + left.precision <= timeout: continue
                case .after(let left): limit = min(timeout, max(left.atLeast, .seconds(1)))
                case .unknown:
                    _ = try backend.delete(name)
                    continue
                }
            }
            _ = try backend.expire(name, timeout: Self.keyTimeout(limit, item: name))
        }
    }

    /// Has what says that the item's value was refused live as long as the item, whose timeout was taken away; not what is said
    /// of another value meanwhile, which would be fresh for ever.
    func keepRefusals(of item: ItemIdentity, waiting limit: Duration) throws(SecretStoreError) {
        for name in item.sentinels where try sentinel(name)?.refusal != nil {
            let update = try beginUpdate(of: name, lasting: Self.updateDuration, waiting: limit)
            while true {
                var present: Sentinel?
                _ = try update.read { bytes in present = Sentinel(bytes) }
                guard let record = present, record.refusal != nil else { break }
                let bytes = record.bytes
                if try unsafe update.commit(bytes.span.bytes, timeout: nil) { break }
            }
        }
    }

    /// Which refusals don't count any more.
    enum Refusal {
        case any
        case of(UInt64?)

        func covers(_ hash: UInt64) -> Bool {
            switch self {
            case .any: true
            case .of(let known): known == hash
            }
        }
    }

    /// Says for how long what was just stored is fresh, and for how long it is usable.
    func setSentinels(
        of item: ItemIdentity, hash: UInt64, to lifetime: Lifetime, refreshing: FetchPolicy.Refreshing,
        lifting refusal: Refusal, waiting limit: Duration
    ) throws(SecretStoreError) {
        if refreshing == .vouched {
            try say(
                lifetime.isUsable, of: item, hash: hash, at: item.usableSentinel, timeout: lifetime.usable,
                lifting: refusal, waiting: limit)
        }
        // Who does not refresh says nothing; what was said of another value does no harm.
        let isSaid = lifetime.isFresh && refreshing != .never
        if !isSaid, try !backend.contains(item.freshnessSentinel) { return }
        try say(
            isSaid, of: item, hash: hash, at: item.freshnessSentinel, timeout: lifetime.fresh, lifting: refusal,
            waiting: limit)
    }
}
