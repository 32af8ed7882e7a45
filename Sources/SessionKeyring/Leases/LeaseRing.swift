import Glibc
package import Keyutils

/// A keyring of leases, and the operations that take them.
package struct LeaseRing {
    package let keyring: Keyring
    private let permissions: KeyPermissions

    package init(_ keyring: Keyring, permissions: KeyPermissions) {
        self.keyring = keyring
        self.permissions = permissions
    }

    /// Makes one attempt to take the lease with this name.
    ///
    /// The first attempt stages the lease before it looks, because most leases are free. Every later attempt looks
    /// first, because staging two keys for each attempt would use up the quota.
    ///
    /// - Parameters:
    ///   - name: the name to lock, which is the description of the lease's keyring.
    ///   - duration: how long the lease lasts unless it is released. After that, others can take it over.
    ///   - reason: the blockage to report if somebody holds the lease.
    /// - Throws: ``KeyringError`` with `quotaExceeded` if the quota has no room for two keys, or `accessDenied` if the
    ///   name belongs to something that this process can neither look at nor take over.
    package func acquire(
        _ name: String, lasting duration: Duration, _ effort: Effort, else reason: Blockage = .itemLease
    ) throws(KeyringError) -> Step<HeldLease> {
        if !effort.isFirst, let blockage = try blockage(of: name, reason) { return .blocked(blockage) }
        let record = LeaseRecord(lasting: duration)
        let staged = try StagedLease(name, record, permissions)
        let step = try Staging.discardIfFailing(Key(staged.ring)) { () throws(KeyringError) in
            try enter(staged, record, else: reason)
        }
        switch consume step {
        case .done(let lease): return .done(lease)
        case .blocked(let reason):
            Staging.discard(Key(staged.ring))
            return .blocked(reason)
        }
    }

    /// Makes one attempt to take an item's lease that was staged earlier, on the same thread.
    ///
    /// If it is blocked, it is still staged, unless this process was stopped until the lease had ended.
    ///
    /// - Throws: ``KeyringError`` of a key that is gone, if an earlier attempt has ended that way.
    func acquire(
        _ staged: StagedLease, lasting duration: Duration, _ effort: Effort
    ) throws(KeyringError) -> Step<HeldLease> {
        if !effort.isFirst, let blockage = try blockage(of: staged.name, .itemLease) { return .blocked(blockage) }
        let record = LeaseRecord(lasting: duration)
        // This frees the ballast, for the links of the lease and of what is stored under it.
        try record.withPayload { payload throws(KeyringError) in try staged.by.update(payload) }
        let step = try enter(staged, record, else: .itemLease)
        switch consume step {
        case .done(let lease): return .done(lease)
        case .blocked(let reason):
            try? staged.addBallast()
            return .blocked(reason)
        }
    }

    private func enter(
        _ staged: StagedLease, _ record: LeaseRecord, else reason: Blockage
    ) throws(KeyringError) -> Step<HeldLease> {
        do throws(KeyringError) {
            try Keyring.thread.move(Key(staged.ring), to: keyring, exclusive: true)
        } catch {
            guard error.code == .alreadyExists else { throw error }
            // If the name is free now, the kernel was still collecting the earlier lease.
            return .blocked(try blockage(of: staged.name, reason) ?? .leaseCollection)
        }
        // If the process was stopped in between, it must not believe that it holds a lease that has already ended.
        let lease = HeldLease(ring: staged.ring, by: staged.by, record: record, in: keyring)
        if lease.isHeld { return .done(lease) }
        return .blocked(.leaseCollection)
    }

    /// Returns what blocks the lease; `nil` if its name is free.
    private func blockage(of name: String, _ reason: Blockage) throws(KeyringError) -> Blockage? {
        switch try look(name) {
        case .free: nil
        case .held: reason
        case .beingCollected: .leaseCollection
        }
    }

    /// The state of a lease's name.
    package enum State { case free, held, beingCollected }

    /// Looks up the lease with this name, and takes it over if it has ended.
    ///
    /// - Throws: ``KeyringError`` with `accessDenied` if the name belongs to something that this process can neither
    ///   look at nor take over.
    package func look(_ name: String) throws(KeyringError) -> State {
        // A lease that is released during the look refuses access. The next search does not find it any more.
        for _ in 0..<SecondLooks.leaseLooks {
            do throws(KeyringError) {
                let lease = try keyring.find(keyring: name)
                // The kernel also searches nested keyrings; a keyring in one of those is not a lease of this ring.
                guard try keyring.links(Key(lease)) else { return .free }
                return try look(at: lease)
            } catch {
                if error.isKeyDead {
                    // Either the lease is dead, or the ring of all leases. If it is the ring, describing it throws the
                    // same error.
                    _ = try Key(keyring).describe()
                    return .beingCollected
                }
                if error.isKeyGone { return .free }
                guard error.code == .accessDenied else { throw error }
            }
        }
        throw KeyringError(.accessDenied, in: .search)
    }

    private func look(at lease: Keyring) throws(KeyringError) -> State {
        var record = try record(of: lease)
        if record == nil {
            // A lease that is being released may hide its record for a moment.
            SecondLooks.afterHiddenRecord()
            guard try keyring.links(Key(lease)) else { return .free }
            record = try self.record(of: lease)
        }
        if let record, !record.isOver(at: BootTime.now()) { return .held }
        try take(lease)
        return .beingCollected
    }

    /// Reads the lease's record; `nil` if it can't be read, so that the lease belongs to nobody.
    func record(of lease: Keyring) throws(KeyringError) -> LeaseRecord? {
        do throws(KeyringError) {
            return try lease.search(.user, HeldLease.recordName).withPayload { LeaseRecord(payload: $0) }
        } catch {
            guard error.isKeyGoneOrRefused || error.code == .unsupported else { throw error }
            return nil
        }
    }

    private func take(_ lease: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try lease.restrict()
        } catch {
            // Another process has begun to take it over.
            guard error.code == .alreadyExists else { throw error }
        }
        // If the lease is gone, another process has taken it over.
        try unlessGoneOrRefused { () throws(KeyringError) in
            try lease.clear()
            try Key(lease).invalidate()
        }
    }

    /// Removes leases that have ended, and whose names nobody has asked for since; returns how many.
    ///
    /// It touches only leases whose names begin with `prefix` and whose records show that they have ended.
    @discardableResult
    func sweep(prefix: String) throws(KeyringError) -> Int {
        var count = 0
        for serial in try keyring.members() {
            // Skip a lease that is gone by now, or that this process isn't allowed to look at.
            try unlessGoneOrRefused { () throws(KeyringError) in
                let key = try Key(serial).describe()
                guard key.type == .keyring, key.name.utf8.starts(with: prefix.utf8),
                    let record = try record(of: Keyring(serial)), record.isOver(at: BootTime.now())
                else { return }
                try take(Keyring(serial))
                count += 1
            }
        }
        return count
    }
}

/// A lease that is still in the keyring of the thread that staged it.
struct StagedLease {
    let name: String
    let ring: Keyring
    let by: Key

    fileprivate init(_ name: String, _ record: LeaseRecord, _ permissions: KeyPermissions) throws(KeyringError) {
        self.name = name
        let ring = try Keyring.thread.addKeyring(name)
        by = try Staging.discardIfFailing(Key(ring)) { () throws(KeyringError) in
            let by = try record.withPayload { payload throws(KeyringError) in
                try ring.add(.user, HeldLease.recordName, payload: payload)
            }
            try by.setPermissions(permissions)
            try Key(ring).setPermissions(permissions)
            return by
        }
        self.ring = ring
    }

    /// Stages a lease with bytes that are freed when it is taken.
    init(_ name: String, withBallast permissions: KeyPermissions) throws(KeyringError) {
        try self.init(name, LeaseRecord(lasting: .zero), permissions)
        try Staging.discardIfFailing(Key(ring)) { () throws(KeyringError) in try addBallast() }
    }

    fileprivate func addBallast() throws(KeyringError) {
        let payload: InlineArray<16, UInt64> = InlineArray(repeating: 0)
        try unsafe by.update(payload.span.bytes)
    }
}

/// The payload of `by`: who holds the lease, and until when.
///
/// Other programs can write to `by`, so readers check or ignore everything in it. No process clears a keyring because a
/// record names it.
///
/// It consists of eight little-endian numbers of 8 bytes.
package struct LeaseRecord: Equatable {
    private static let version: UInt64 = 0x0001_736B_722D_6C73
    private static let size = 64

    var holder: LeaseHolder
    /// When the lease was staged.
    var acquired: BootTime
    /// When the lease ends, unless it is renewed or released.
    var deadline: BootTime
    /// A command that keeps running if its parent, the holder, dies; the lease is held as long as one of them lives.
    var command: LeaseHolder?
}

extension LeaseRecord {
    /// Creates the record of a lease that this process takes now.
    init(lasting duration: Duration) {
        let now = BootTime.now()
        self.init(holder: .current, acquired: now, deadline: now + BootTime(duration))
    }

    /// Reads a record; `nil` if the bytes are not a record.
    package init?(payload: RawSpan) {
        guard payload.byteCount == Self.size else { return nil }
        func word(_ position: Int) -> UInt64 { payload.word(at: 8 * position) }
        func number(_ position: Int) -> Int32 { Int32(truncatingIfNeeded: word(position)) }
        guard word(0) == Self.version else { return nil }
        holder = LeaseHolder(processID: number(1), startTime: word(2), namespaces: word(3))
        acquired = BootTime(nanoseconds: word(4))
        deadline = BootTime(nanoseconds: word(5))
        if number(6) > 0 {
            command = LeaseHolder(processID: number(6), startTime: word(7), namespaces: holder.namespaces)
        }
    }

    package func withPayload<Result>(_ body: (RawSpan) throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        func word(_ number: Int32) -> UInt64 { UInt64(truncatingIfNeeded: number) }
        var words: InlineArray<8, UInt64> = [
            Self.version, word(holder.processID), holder.startTime, holder.namespaces, acquired.nanoseconds,
            deadline.nanoseconds, word(command?.processID ?? 0), command?.startTime ?? 0,
        ]
        for position in words.indices { words[position] = words[position].littleEndian }
        return try unsafe body(words.span.bytes)
    }

    /// Whether the lease has ended by now.
    package var isOver: Bool { isOver(at: .now()) }

    /// Returns whether the lease has ended: its time has passed, or all its holders are certainly dead.
    ///
    /// A lease that claims to last longer than ``HeldLease/longest`` belongs to nobody.
    func isOver(at now: BootTime) -> Bool {
        now > deadline || deadline > now + BootTime(HeldLease.longest) || isAbandoned
    }

    /// Whether the holder and its command, if there is one, are certainly dead.
    private var isAbandoned: Bool {
        holder.fate == .dead && (command.map { $0.fate == .dead } ?? true)
    }
}

/// A process in a lease's record, described so that others can tell whether it has certainly ended.
struct LeaseHolder: Equatable {
    /// Its number in its own pid namespace.
    let processID: Int32
    /// When it started, in the kernel's ticks; 0 if `/proc` can't be trusted, so that nobody considers it dead.
    let startTime: UInt64
    /// The inode numbers of its pid namespace and of its time namespace, on which start times depend.
    let namespaces: UInt64

    enum Fate { case dead, alive, unknown }

    /// Whether the process is dead or alive, as far as this process can tell.
    ///
    /// The result is `dead` only if that is certain. The process must be in our namespaces, and our `/proc` must show
    /// our pid namespace. In addition, its number must be unused, belong to another process, or belong to a zombie
    /// without other threads. A stopped process is alive.
    var fate: Fate {
        guard isOfOwnNamespaces else { return .unknown }
        if kill(processID, 0) != 0, errno == ESRCH { return .dead }
        // `/proc` hides the process, or the process has just gone. In that case, the next look finds out.
        guard let status = ProcessRecord(processID) else { return .unknown }
        if status.startTime != startTime { return .dead }
        return status.hasEnded ? .dead : .alive
    }

    /// Whether its number and its start time mean the same in this process.
    var isOfOwnNamespaces: Bool {
        processID > 0 && startTime != 0 && namespaces != 0 && namespaces == Self.current.namespaces
    }

    /// The calling process.
    static var current: LeaseHolder {
        let processID = getpid()
        if let known = remembered.withLock({ $0 }), known.processID == processID { return known }
        let holder = LeaseHolder(lookingAt: processID)
        remembered.withLock { $0 = holder }
        return holder
    }

    private static let remembered = LockBox<LeaseHolder?>(nil)
}

extension LeaseHolder {
    /// Describes another process of this pid namespace, such as a child.
    init(child processID: Int32) {
        let status = ProcessRecord(processID)
        let parent = Self.current
        self.init(
            processID: processID, startTime: parent.startTime == 0 ? 0 : status?.startTime ?? 0,
            namespaces: parent.namespaces)
    }

    private init(lookingAt processID: Int32) {
        guard ProcessRecord.isProcOfOwnNamespace, let status = ProcessRecord(processID),
            let pids = Self.inode("/proc/self/ns/pid")
        else {
            self.init(processID: processID, startTime: 0, namespaces: 0)
            return
        }
        let times = Self.inode("/proc/self/ns/time") ?? 0
        self.init(processID: processID, startTime: status.startTime, namespaces: pids << 32 | times & 0xFFFF_FFFF)
    }

    private static func inode(_ path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
