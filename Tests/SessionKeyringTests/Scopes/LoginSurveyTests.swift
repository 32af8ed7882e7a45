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
    "Surveying the stores of a login", .tags(.kernel, .root),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct LoginSurveyTests {
    @Test("a survey finds each store in its scope and ignores other keys and keyrings")
    func found() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_240)
            let session = try TestSession.join()
            let (user, mine) = (try SecretStore(.user, namespace: "survey"), try SecretStore(namespace: "mine"))
            try user.set("1", for: item, lasting: .seconds(60))
            try mine.set("2", for: item)
            try session.add(.user, "skr:key", payload: [1].span.bytes)
            _ = try session.addKeyring("other")
            try Key(session.addKeyring("skr:dead")).revoke()
            succeed(3, try names(in: .user)?.contains("survey") == true)
            succeed(4, try names(in: .session) == ["mine"])
            try user.clear()
        }
    }

    @Test("a survey for a new user finds nothing, ignores namesakes and creates no keyrings")
    func nobody() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let user = UInt32.random(in: 1_000_000...2_000_000_000)
            OrdinaryUser.become(user)
            _ = try TestSession.join().addKeyring("_uid_ses.\(user): 1")
            for scope in [SecretScope.user, .session, .persistent] { succeed(3, try names(in: scope) == []) }
            let table = try KeyTable.snapshot()
            succeed(4, table.keyrings(named: "_uid.\(user)").isEmpty)
            succeed(5, table.keyrings(named: "_persistent.\(user)").isEmpty)
        }
    }

    @Test("a survey finds the session's stores without creating the user's keyrings")
    func onlySession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let user = UInt32.random(in: 1_000_000...2_000_000_000)
            OrdinaryUser.become(user)
            let session = try TestSession.join()
            try SecretStore(namespace: "mine").set("1", for: item)
            succeed(3, try names(in: .session) == ["mine"])
            for scope in [SecretScope.user, .persistent] { succeed(4, try names(in: scope) == []) }
            // The key table that the survey reads lists this namesake, which is not the user's keyring.
            let namesake = Key(try session.addKeyring("_uid_ses.\(user)"))
            let survey = LoginSurvey()
            try session.unlink(namesake)
            succeed(5, becomesTrue(within: 60) { (try? namesake.describe()) == nil })
            succeed(6, try survey.findings(in: .user) { $0.name } == [])
            let table = try KeyTable.snapshot()
            succeed(7, table.keyrings(named: "_uid.\(user)").isEmpty)
            succeed(8, table.keyrings(named: "_persistent.\(user)").isEmpty)
        }
    }

    @Test("a survey finds a store in a session without a lease keyring if the user keyrings exist")
    func withoutLeases() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_270)
            let session = try TestSession.join()
            _ = try Keyring.resolve(.userKeyring)
            _ = try session.addKeyring("skr:alone")
            succeed(3, try names(in: .session) == ["alone"])
        }
    }

    /// The filter fails KEYCTL_DESCRIBE (6) or every keyring call (-1).
    @Test(
        "a survey throws the kernel's error instead of reporting an empty login",
        arguments: [(6, ENOMEM), (-1, ENOSYS)] as [(Int32, CInt)])
    func untold(operation: Int32, error: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [operation = operation as Int32, error = error as CInt] in
            try OrdinaryUser.becomeInNewSession(60_271)
            try SecretStore(namespace: "mine").set("1", for: item)
            guard test_filter_install(operation, error) == 0 else { exit(2) }
            succeed(4, try storeError { _ = try names(in: .session) }?.underlying?.errno == error)
        }
    }

    @Test("a survey examines a store again only if the store was replaced meanwhile")
    func lookedAtAgain() async {
        await #expect(processExitsWith: .exitCode(0)) {
            _ = try SecretStore.inNewSession(of: 60_241, with: item)
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
        }
    }
}
