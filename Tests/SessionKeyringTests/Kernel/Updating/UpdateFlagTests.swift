import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "flagged")

@Suite("The update flag", .tags(.kernel))
final class UpdateFlagTests {
    private let scratch: ScratchKeyring
    private let store: SecretStore

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store()
    }

    /// The update flag, which is the only `user` key among the leases.
    private var flag: Key {
        get throws {
            let members = try scratch.keyring.search(keyring: NamespaceRings.leasesName).members()
            return try #require(members.map(Key.init).first { try $0.describe().type == .user })
        }
    }

    enum State: CaseIterable { case intact, unreadable, revoked }

    @Test("a store that is created later does not change an item that is being updated", arguments: State.allCases)
    func laterStore(state: State) throws {
        try store.set("1", for: item)
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
        switch state {
        case .intact: break
        case .unreadable: try flag.setPermissions([.possessorView, .possessorSetAttribute])
        case .revoked: try flag.revoke()
        }
        let effort = Effort(mayUseLastResorts: false)
        for use in [
            {
                try self.scratch.store().backend.set([1].span.bytes, for: item, timeout: nil, nil, $0, after: nil).get()
            },
            { _ = try self.scratch.store().backend.delete(item, $0, after: nil).get() },
        ] as [(Effort) throws -> Void] {
            #expect(try storeError { try use(effort) }?.code == .contended)
        }
        withExtendedLifetime(update) {}
    }

    @Test("a deletion that had to wait reports whether it has deleted the item", arguments: [false, true])
    func blockedDeletion(isFlagged: Bool) throws {
        try store.set("1", for: .password(service: "other"))
        if isFlagged { try store.blockingUpdate(item, lasting: .scope) { (_: Int?) in nil } }
        for isDeleted in [false, true] {
            let effort = Effort(mayUseLastResorts: false, isFirst: false)
            #expect(try store.backend.delete(item, effort, after: .removed(isDeleted)).get() == isDeleted)
        }
    }

    @Test("an update flag with a time in the future does not stop an update")
    func future() throws {
        try store.blockingUpdate(item, lasting: .scope) { (_: Int?) in 1 }
        let later = BootTime.now() + BootTime(.seconds(3_600))
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: later.nanoseconds >> (8 * UInt64($0))) }
        try flag.update(bytes.span.bytes)
        try store.blockingUpdate(item, lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
        #expect(try store.get(item) == 2)
    }

    @Test("an update flag that contains no time and can't be written to is replaced")
    func unwritable() throws {
        try store.blockingUpdate(item, lasting: .scope) { (_: Int?) in 1 }
        let leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
        let name = try flag.describe().name
        let planted = try leases.add(.user, name, payload: ([1] as [UInt8]).span.bytes)
        #expect(try planted == flag)
        try planted.setPermissions(.possessorAll.subtracting(.possessorWrite))
        try store.blockingUpdate(item, lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
        #expect(try store.get(item) == 2)
        #expect(try flag != planted)
    }
}
