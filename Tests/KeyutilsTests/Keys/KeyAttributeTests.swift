import Glibc
import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Attributes on the real kernel")
final class KeyAttributeTests: ScratchSuite {
    @Test("a new key belongs to the caller: its possessor can do everything, its user can view it")
    func newKey() throws {
        let description = try keyring.add("new").describe()
        #expect(description.type == .user)
        #expect(description.userID == geteuid())
        #expect(description.groupID == getegid())
        #expect(description.permissions == [.possessorAll, .userView])
        #expect(description.name == "new")
    }

    @Test("permissions take effect, and survive an in-place update")
    func setPermissions() throws {
        let key = try keyring.add("key")
        let permissions: KeyPermissions = [.possessorAll, .userView, .groupRead, .otherSearch]
        try key.setPermissions(permissions)
        #expect(try key.describe().permissions == permissions)
        try keyring.add("key", [4])
        #expect(try key.describe().permissions == permissions)
    }

    @Test("a key without read and search permissions can't be read until they are granted again")
    func unreadable() throws {
        let key = try keyring.add("key")
        try key.setPermissions([.possessorView, .possessorSetAttribute, .userView, .userSetAttribute])
        expectFailure(.accessDenied) { () throws(KeyringError) in _ = try key.read() }
        expectFailure(.accessDenied) { () throws(KeyringError) in _ = try key.payloadSize() }
        expectFailure(.accessDenied) { () throws(KeyringError) in try key.update(with: [1]) }
        expectFailure(.accessDenied) { () throws(KeyringError) in try key.invalidate() }
        try key.setPermissions([.possessorAll, .userView])
        #expect(try key.bytes() == [1, 2, 3])
    }

    @Test("the attributes of a key without setattr permission can't be changed")
    func noSetAttribute() throws {
        let key = try keyring.add("key")
        try key.setPermissions([.possessorView, .possessorRead, .possessorSearch, .userView])
        expectFailure(.accessDenied) { () throws(KeyringError) in try key.setPermissions(.possessorAll) }
        expectFailure(.accessDenied) { () throws(KeyringError) in try key.setTimeout(.longest) }
        expectFailure(.accessDenied) { () throws(KeyringError) in try key.changeOwner(groupID: 1) }
        #expect(try key.bytes() == [1, 2, 3])
    }

    @Test("permission bits that the kernel does not know are refused")
    func unknownBits() throws {
        let key = try keyring.add("key")
        expectFailure(.invalidArgument) { () throws(KeyringError) in
            try key.setPermissions(KeyPermissions(rawValue: 0x4000_0000))
        }
    }

    @Test("root can give a key to another user and group, one at a time", .enabled(if: geteuid() == 0))
    func changeOwner() throws {
        let key = try keyring.add("key")
        try key.changeOwner(userID: 60_123)
        var description = try key.describe()
        #expect(description.userID == 60_123)
        #expect(description.groupID == getegid())
        try key.changeOwner(groupID: 60_124)
        description = try key.describe()
        #expect(description.userID == 60_123)
        #expect(description.groupID == 60_124)
        try key.changeOwner()
        description = try key.describe()
        #expect(description.userID == 60_123)
        #expect(description.groupID == 60_124)
    }

    @Test("a key whose user id is above 2,147,483,647 can be described", .enabled(if: geteuid() == 0))
    func largeUser() throws {
        let key = try keyring.add("key")
        try key.changeOwner(userID: 4_294_967_290, groupID: 4_294_967_291)
        let description = try key.describe()
        #expect(description.userID == 4_294_967_290)
        #expect(description.groupID == 4_294_967_291)
    }

    @Test("an ordinary user can't give a key away", .enabled(if: geteuid() == 0))
    func ordinaryUser() async {
        await #expect(processExitsWith: .success) {
            let key = try OrdinaryUser.becomeInNewSession(60_125).add("key")
            expectFailure(.accessDenied) { () throws(KeyringError) in try key.changeOwner(userID: 60_126) }
            expectFailure(.accessDenied) { () throws(KeyringError) in try key.changeOwner(groupID: 60_126) }
            try key.changeOwner(userID: 60_125, groupID: 60_125)
        }
    }

    @Test("the security label is text without a NUL, and empty without a security module for keys")
    func securityLabel() throws {
        let key = try keyring.add("key")
        #expect(try !key.securityLabel().utf8.contains(0))
        try keyring.unlink(key)
        #expect(becomesTrue { (try? key.securityLabel()) == nil })
        expectFailure(.notFound) { () throws(KeyringError) in _ = try key.securityLabel() }
    }
}
