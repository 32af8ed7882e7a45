import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "fetched")

@Suite("Keys that are staged for a fetch or an update", .tags(.kernel))
struct StagedKeyTests {
    enum Operation: CaseIterable { case fetch, set, add }

    @Test(
        "if a staged key can't be moved to its ring, the operation fails and leaves nothing staged",
        arguments: Operation.allCases, [false, true])
    func restricted(operation: Operation, mayUseLastResorts: Bool) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        let ring = try scratch.keyring.search(keyring: "skr:default")
        try ring.restrict()
        let staged = try Keyring.thread.members()
        let effort = Effort(mayUseLastResorts: mayUseLastResorts)
        let error = try storeError {
            switch operation {
            case .fetch: _ = try store.backend.beginFetch(of: item, reserving: nil, effort).get()
            case .set: try store.backend.set([1].span.bytes, for: item, timeout: nil, nil, effort, after: nil).get()
            case .add:
                try store.backend.add([1].span.bytes, for: .password(service: "new"), timeout: nil, nil, effort).get()
            }
        }
        #expect(error?.detail == .restricted(ring.serial))
        #expect(try Keyring.thread.members() == staged)
    }

    @Test("an update that finds a change reports it, and leaves nothing staged", arguments: [false, true])
    func changed(isLost: Bool) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        let update = try store.backend.beginUpdate(of: item, lasting: isLost ? .milliseconds(30) : .seconds(60))
        _ = try update.read { _ in }
        try store.clear()
        if isLost { usleep(60_000) }
        let staged = try Keyring.thread.members()
        let bytes: [UInt8] = [2]
        let effort = Effort(mayUseLastResorts: false)
        if isLost {
            let error = try storeError { _ = try update.commit(bytes.span.bytes, timeout: nil, nil, effort).get() }
            #expect(error?.code == .leaseLost)
        } else {
            #expect(try !update.commit(bytes.span.bytes, timeout: nil, nil, effort).get())
        }
        #expect(try Keyring.thread.members() == staged)
        #expect(try !store.contains(item))
    }
}
