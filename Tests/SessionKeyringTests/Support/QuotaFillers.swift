import Keyutils
import TestSupport

/// Keys that take up an ordinary user's quota, except for the room that a test chooses.
final class QuotaFillers {
    enum Resource: Int, CaseIterable, Sendable {
        case bytes, keys
    }

    private let ring: Keyring
    private var payloadSize = 1
    private var count = 0

    /// Prepares fillers in a new keyring of this session.
    init(in session: Keyring) throws {
        ring = try session.addKeyring("fillers")
    }

    /// Takes all the room that is left.
    func takeAll() throws { try ring.fillQuota() }

    /// Removes the fillers, and returns once the kernel has freed their quota.
    ///
    /// - Throws: ``ChildProcess/Failure`` if half of the quota is still in use.
    func removeAll() throws {
        try ring.clear()
        try repeatUntil {
            let quota = try KeyQuota.current()
            return quota.keys < quota.maximumKeys / 2 && quota.bytes < quota.maximumBytes / 2
        }
    }

    /// Leaves exactly this much room.
    func leave(_ room: Int, _ resource: Resource) throws {
        switch resource {
        case .bytes: try repeatUntil { try adjustPayload(leaving: room) }
        case .keys: try repeatUntil { try adjustCount(leaving: room) }
        }
    }

    /// Changes the size of one filler, which the kernel charges immediately; true if that was not necessary.
    private func adjustPayload(leaving room: Int) throws -> Bool {
        let quota = try KeyQuota.current()
        let excess = quota.maximumBytes - quota.bytes - room
        if excess == 0 { return true }
        // The first time, this also adds the key itself.
        payloadSize = max(1, count == 0 ? 1 : payloadSize + excess)
        count = 1
        let payload = [UInt8](repeating: 1, count: payloadSize)
        try ring.add(.user, "large filler", payload: payload.span.bytes)
        return false
    }

    /// Adds or removes fillers; true if that was not necessary.
    private func adjustCount(leaving room: Int) throws -> Bool {
        let quota = try KeyQuota.current()
        let excess = quota.maximumKeys - quota.keys - room
        if excess == 0 { return true }
        for _ in 0..<max(0, excess) {
            try ring.add(.user, "small filler \(count)", payload: ([1] as [UInt8]).span.bytes)
            count += 1
        }
        for _ in 0..<min(count, max(0, -excess)) {
            count -= 1
            try ring.unlink(ring.search(.user, "small filler \(count)"))
        }
        return false
    }

    /// Repeats a step until it is true, each time after the kernel has freed quota.
    private func repeatUntil(_ step: () throws -> Bool) throws {
        for _ in 0..<100 {
            for _ in 0..<10 { _ = GracePeriod.pass() }
            if try step() { return }
        }
        throw ChildProcess.Failure(description: "the quota did not settle")
    }
}
