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

    var bytes: InlineArray<9, UInt8> {
        let (kind, hash): (UInt8, UInt64) =
            switch self {
            case .fresh(let hash): (1, hash)
            case .refused(let hash): (2, hash)
            }
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

    /// Sets the sentinel of that name, unless it says that this very value was refused.
    ///
    /// - Parameter limit: how long to wait for others who set it.
    func set(
        _ sentinel: Sentinel, at name: ItemIdentity, timeout: KeyTimeout?, waiting limit: Duration
    ) throws(SecretStoreError) {
        let update = try beginUpdate(of: name, lasting: Self.updateDuration, waiting: limit)
        while true {
            var present: Sentinel?
            _ = try update.read { bytes in present = Sentinel(bytes) }
            if case .fresh(let hash) = sentinel, present == .refused(hash) { return }
            let record = sentinel.bytes
            if try unsafe update.commit(record.span.bytes, timeout: timeout) { return }
        }
    }

    /// Says for how long what was just stored is fresh, and for how long it is usable.
    func setSentinels(
        of item: ItemIdentity, hash: UInt64, to lifetime: Lifetime, refreshing: FetchPolicy.Refreshing,
        waiting limit: Duration
    ) throws(SecretStoreError) {
        if refreshing == .vouched {
            try set(.fresh(hash), at: item.usableSentinel, timeout: lifetime.usable, waiting: limit)
        }
        if lifetime.isFresh, refreshing != .never {
            try set(.fresh(hash), at: item.freshnessSentinel, timeout: lifetime.fresh, waiting: limit)
        } else {
            _ = try backend.delete(item.freshnessSentinel)
        }
    }
}
