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
