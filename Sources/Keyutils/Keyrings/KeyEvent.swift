/// A change of a watched key or keyring, as the kernel reports it.
public struct KeyEvent: Hashable, Sendable {
    /// The kind of a change.
    @nonexhaustive
    public enum Change: Hashable, Sendable {
        /// The key was made: `NOTIFY_KEY_INSTANTIATED`.
        case instantiated
        /// The payload was updated in place: `NOTIFY_KEY_UPDATED`.
        case updated
        /// A key was linked into the watched keyring: `NOTIFY_KEY_LINKED`.
        case linked(Key)
        /// A key was unlinked from the watched keyring: `NOTIFY_KEY_UNLINKED`.
        case unlinked(Key)
        /// The watched keyring was emptied: `NOTIFY_KEY_CLEARED`.
        case cleared
        /// The key was revoked: `NOTIFY_KEY_REVOKED`.
        case revoked
        /// The key was invalidated: `NOTIFY_KEY_INVALIDATED`.
        case invalidated
        /// Owner, permissions or timeout were changed: `NOTIFY_KEY_SETATTR`.
        case attributesChanged
        /// The watched key is gone, and so is its watch: `WATCH_META_REMOVAL_NOTIFICATION`.
        case watchRemoved
        /// Events were lost because nobody read them in time: look at all watched keys again.
        case eventsLost
        /// A change that this version does not know, with the kernel's number for it.
        case unknown(subtype: UInt8)
    }

    /// The watched key or keyring; `nil` for ``Change/eventsLost``.
    public let key: Key?
    /// The change that the kernel reported.
    public let change: Change

    package init(key: Key?, change: Change) {
        self.key = key
        self.change = change
    }

    /// Creates an event from one record: a `struct key_notification` or a `struct watch_notification_removal`.
    init(words: (type: UInt32, key: UInt32, auxiliary: UInt32)) {
        let subtype = UInt8(words.type >> 24)
        let key = Key(KeySerial(rawValue: Int32(bitPattern: words.key)))
        let auxiliary = Key(KeySerial(rawValue: Int32(bitPattern: words.auxiliary)))
        let isMeta = words.type & 0xFF_FFFF == 0
        let change: Change =
            switch (isMeta, subtype) {
            case (true, 0): .watchRemoved
            case (true, 1): .eventsLost
            case (false, 0): .instantiated
            case (false, 1): .updated
            case (false, 2): .linked(auxiliary)
            case (false, 3): .unlinked(auxiliary)
            case (false, 4): .cleared
            case (false, 5): .revoked
            case (false, 6): .invalidated
            case (false, 7): .attributesChanged
            default: .unknown(subtype: subtype)
            }
        self.key = change == .eventsLost ? nil : key
        self.change = change
    }
}
