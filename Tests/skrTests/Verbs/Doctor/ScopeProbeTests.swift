import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

@testable import skr

@Suite("A probe of a scope")
struct ScopeProbeTests {
    @Test("a probe succeeds if a scope keeps secrets, and leaves nothing", arguments: [false, true])
    func works(asOwner: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [asOwner = asOwner as Bool] in
            let session = try TestSession.join()
            let ring = try session.addKeyring("probe-test")
            let scope = SecretScope.keyring(ring.serial, isOpenToOwner: asOwner)
            succeed(3, try ScopeProbe(in: scope).isTimeLeftKnown)
            succeed(4, try ring.members().isEmpty)
            succeed(5, try session.members() == [ring.serial])
            exit(0)
        }
    }

    @Test(
        "a resolved scope has its keyring's owner and links, and knows the user's shared keyring", .tags(.root),
        .enabled(if: isRoot))
    func resolved() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            var resolved = try ResolvedScope(lookingAt: .session)
            succeed(3, resolved.keyring == session && resolved.isPossessed && resolved.ownership == .own)
            succeed(4, !resolved.linksUserKeyring && resolved.linkCount == 0 && !resolved.letsOthersIn)
            try session.link(Key(Keyring.resolve(.userKeyring)))
            resolved = try ResolvedScope(lookingAt: .session)
            succeed(5, resolved.linksUserKeyring && resolved.linkCount == 1)
            // A secret is not read as a list of members, even if its bytes look like one.
            let other = try Keyring.thread.add(.user, "other", payload: Array("x".utf8).span.bytes)
            try other.changeOwner(userID: 60_211)
            let serial = withUnsafeBytes(of: other.serial.rawValue) { Array($0) }
            try session.add(.user, "secret", payload: serial.span.bytes)
            succeed(7, try !ResolvedScope(lookingAt: .session).otherUsers.contains(60_211))
            try session.link(other)
            succeed(9, try ResolvedScope(lookingAt: .session).otherUsers.contains(60_211))
            try session.unlink(other)
            let nested = try session.addKeyring("nested")
            try nested.link(other)
            succeed(8, try ResolvedScope(lookingAt: .session).otherUsers.contains(60_211))
            OrdinaryUser.become(60_211)
            succeed(6, try ResolvedScope(lookingAt: .session).ownership == .foreign(userID: 0))
            exit(0)
        }
    }

    @Test("a probe fails if any of its steps fails", arguments: [5, 7, 9, 10, 11, 15, 30])
    func fails(operation: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [operation = operation as CInt] in
            try TestSession.join()
            guard test_filter_install(operation, ENOMEM) == 0 else { exit(3) }
            do {
                _ = try ScopeProbe(in: .session)
                exit(4)
            } catch is SecretStoreError {
                exit(0)
            }
        }
    }
}
