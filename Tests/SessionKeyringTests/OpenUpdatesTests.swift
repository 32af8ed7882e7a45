import Foundation
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@Suite("Updates whose closures run at the same time", .tags(.threads))
struct OpenUpdatesTests {
    @Test("an expired update no longer blocks its thread's writes, but the item's next update does")
    func late() throws {
        let item = ItemIdentity.password(service: "api")
        let store = SecretStore(backend: InMemoryBackend())
        let (isOpen, isNextOpen, isOver) = (Locked(false), Locked(false), Locked(false))
        @Sendable func hold(until flag: Locked<Bool>) {
            #expect(becomesTrue(within: 60) { flag.withLock { $0 } })
        }
        try ThreadTeam.run(2) { thread in
            if thread == 0 {
                defer { isOver.withLock { $0 = true } }
                #expect {
                    try store.blockingUpdate(item, lasting: .scope, within: .milliseconds(10)) { (_: String?) in
                        isOpen.withLock { $0 = true }
                        hold(until: isNextOpen)
                        return "late"
                    }
                } throws: {
                    ($0 as? SecretStoreError)?.code == .leaseLost
                }
                // This thread may write the item again, although the other update is open.
                _ = try store.setting(item)
            } else {
                hold(until: isOpen)
                let limit = Duration.seconds(60)
                try store.blockingUpdate(item, lasting: .scope, within: limit, waiting: limit) { (_: String?) in
                    isNextOpen.withLock { $0 = true }
                    hold(until: isOver)
                    #expect(throws: SecretStoreError.self) { try store.set("inside", for: item) }
                    return "next"
                }
            }
        }
        #expect(try store.get(item) == "next")
    }
}
