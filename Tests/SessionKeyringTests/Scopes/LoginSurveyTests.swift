import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "survey")

private func names(in scope: SecretScope) throws -> [String]? {
    try LoginSurvey().findings(in: scope) { $0.name }
}

@Suite(
    "What is stored in a login", .tags(.kernel, .ordinaryUser),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct LoginSurveyTests {
    @Test("is found in its scope, and nothing else there is taken for it")
    func found() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_240)
            let session = try TestSession.join()
            let (user, mine) = (try SecretStore(.user, namespace: "survey"), try SecretStore(namespace: "mine"))
            try user.set("1", for: item, timeout: .seconds(60))
            try mine.set("2", for: item)
            let payload: [UInt8] = [1]
            try session.add(.user, "skr:key", payload: payload.span.bytes)
            _ = try session.addKeyring("other")
            try Key(session.addKeyring("skr:dead")).revoke()
            succeed(3, try names(in: .user)?.contains("survey") == true)
            succeed(4, try names(in: .session) == ["mine"])
            try user.clear()
            exit(0)
        }
    }

    @Test("is nothing for a user whom nobody has ever been, whose keyrings are not made, whatever is called like them")
    func nobody() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let user = UInt32.random(in: 1_000_000...2_000_000_000)
            OrdinaryUser.become(user)
            _ = try TestSession.join().addKeyring("_uid_ses.\(user): 1")
            for scope in [SecretScope.user, .session, .persistent] { succeed(3, try names(in: scope) == []) }
            let table = try KeyTable.snapshot()
            succeed(4, table.keyrings(named: "_uid.\(user)").isEmpty)
            succeed(5, table.keyrings(named: "_persistent.\(user)").isEmpty)
            exit(0)
        }
    }

    @Test("is found in the session of a user whose own keyrings are not made, and looking makes none")
    func onlySession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let user = UInt32.random(in: 1_000_000...2_000_000_000)
            OrdinaryUser.become(user)
            let session = try TestSession.join()
            try SecretStore(namespace: "mine").set("1", for: item)
            succeed(3, try names(in: .session) == ["mine"])
            for scope in [SecretScope.user, .persistent] { succeed(4, try names(in: scope) == []) }
            // A keyring that was called like the user's when the table was read is not the user's either.
            let namesake = Key(try session.addKeyring("_uid_ses.\(user)"))
            let survey = LoginSurvey()
            try session.unlink(namesake)
            succeed(5, becomesTrue(within: 60) { (try? namesake.describe()) == nil })
            succeed(6, try survey.findings(in: .user) { $0.name } == [])
            let table = try KeyTable.snapshot()
            succeed(7, table.keyrings(named: "_uid.\(user)").isEmpty)
            succeed(8, table.keyrings(named: "_persistent.\(user)").isEmpty)
            exit(0)
        }
    }

    @Test("is found in a session without a ring of leases where the user's keyrings are made")
    func withoutLeases() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_270)
            let session = try TestSession.join()
            _ = try Keyring.resolve(.userKeyring)
            _ = try session.addKeyring("skr:alone")
            succeed(3, try names(in: .session) == ["alone"])
            exit(0)
        }
    }

    /// KEYCTL_DESCRIBE, and every call of the key facility.
    @Test(
        "is not called nothing where the kernel fails to tell",
        arguments: [(6, ENOMEM), (-1, ENOSYS)] as [(Int32, CInt)])
    func untold(operation: Int32, error: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [operation = operation as Int32, error = error as CInt] in
            try OrdinaryUser.becomeInNewSession(60_271)
            try SecretStore(namespace: "mine").set("1", for: item)
            guard test_filter_install(operation, error) == 0 else { exit(2) }
            do {
                _ = try names(in: .session)
                exit(3)
            } catch let told as SecretStoreError {
                succeed(4, told.underlying?.errno == error)
            }
            exit(0)
        }
    }

    @Test("is looked at again if it was replaced meanwhile, and for no other reason")
    func lookedAtAgain() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_241)
            try SecretStore().set("1", for: item)
            func looks(failing error: SecretStoreError) -> Int {
                var count = 0
                _ = try? LoginSurvey().findings(in: .session) { _ throws(SecretStoreError) -> Int in
                    count += 1
                    if count == 1 { throw error }
                    return count
                }
                return count
            }
            succeed(3, looks(failing: SecretStoreError(KeyringError(.notFound, in: .describe))) == 2)
            succeed(4, looks(failing: SecretStoreError(.forbidden)) == 1)
            exit(0)
        }
    }
}
