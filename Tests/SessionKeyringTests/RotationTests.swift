import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "rotating", account: "alice")
private let crowd = 20

/// The same answer for every process of the crowd.
private func all(_ answer: String, but fewer: Int = 0) -> [String] {
    Array(repeating: answer, count: crowd - fewer)
}

/// The part of the token that these tests read; the rest is in `Tests/RotatingTokens`.
private struct StoredToken: Decodable {
    var accessToken: String
}

extension RotatingClients {
    /// Logs in, and makes the token due for a refresh.
    ///
    /// - Parameter isUsable: whether callers get the old token while it is refreshed.
    fileprivate func logIn(in store: SecretStore, thenUsable isUsable: Bool) throws {
        let answers = try self.answers(of: ask(1))
        guard answers == ["access-1"] else { throw ChildProcess.Failure(description: "the login gave \(answers)") }
        try store.makeDue(item, isUsable: isUsable)
    }

    /// Waits until the token with this number is stored.
    fileprivate func awaitToken(_ number: Int, in store: SecretStore) throws {
        try wait(for: "token \(number)") {
            try store.get(item, as: StoredToken.self)?.accessToken == "access-\(number)"
        }
    }
}

/// Tests with many processes and a server that revokes the login if a refresh token is used twice.
///
/// Each test compares all requests that the server has received: `refresh 1` is a refresh with the first refresh token.
/// The clients and the server are in `Tests/RotatingTokens`.
@Suite("Refresh tokens that can be used once", .tags(.kernel, .anyUser), .serialized)
struct RotationTests {
    private let kernel: ScratchStore
    private let clients: RotatingClients
    private var store: SecretStore { kernel.store }

    init() throws {
        kernel = try ScratchStore()
        clients = try RotatingClients(in: kernel.scratch.keyring)
    }

    @Test("20 processes at the same time log in once")
    func firstLogin() throws {
        try clients.hold(.login)
        let asking = try clients.ask(crowd)
        try clients.awaitArrivals(1, at: .login)
        try clients.open(.login)
        #expect(try clients.answers(of: asking) == all("access-1"))
        #expect(clients.log == ["login"])
    }

    @Test("20 processes at the same time refresh a token once if it isn't usable any more")
    func unusable() throws {
        try clients.logIn(in: store, thenUsable: false)
        try clients.hold(.refresh)
        let asking = try clients.ask(crowd)
        try clients.awaitArrivals(1, at: .refresh)
        try clients.open(.refresh)
        #expect(try clients.answers(of: asking) == all("access-2"))
        #expect(clients.log == ["login", "refresh 1"])
    }

    @Test("while one of 20 processes refreshes a usable token, the others get the old one")
    func usable() throws {
        try clients.logIn(in: store, thenUsable: true)
        try clients.hold(.refresh)
        let asking = try clients.ask(crowd)
        try clients.wait(for: "the others") { asking.count(where: { !$0.answers.isEmpty }) == crowd - 1 }
        #expect(clients.log == ["login"])
        try clients.open(.refresh)
        #expect(try clients.answers(of: asking).sorted() == all("access-1", but: 1) + ["access-2"])
        #expect(clients.log == ["login", "refresh 1"])
    }

    @Test("20 processes use each of ten refresh tokens once", .tags(.long))
    func tenTimes() throws {
        try clients.logIn(in: store, thenUsable: false)
        var expected = ["login"]
        for number in 1...10 {
            #expect(try clients.answers(of: clients.ask(crowd)) == all("access-\(number + 1)"))
            expected.append("refresh \(number)")
            try store.makeDue(item, isUsable: false)
        }
        #expect(clients.log == expected)
    }

    @Test("if a process is killed before it sends its refresh, another one sends the only refresh")
    func killedBeforeRequest() throws {
        try clients.logIn(in: store, thenUsable: false)
        try clients.hold(.refresh)
        let others = try clients.killFirst(of: clients.ask(crowd), at: .refresh)
        try clients.awaitArrivals(2, at: .refresh)
        #expect(clients.log == ["login"])
        try clients.open(.refresh)
        #expect(try clients.answers(of: others) == all("access-2", but: 1))
        #expect(clients.log == ["login", "refresh 1"])
    }

    /// The only case in which a refresh token is used twice.
    ///
    /// The server has rotated the token, and only the killed process knew the next one. The store can't tell this case
    /// from a request that was not sent, so the next process sends the old refresh token again. The server revokes the
    /// login, and the same fetch logs in again. No client can avoid this if it dies between the server's answer and the
    /// moment when the new token is stored.
    @Test("if a process is killed before it stores its refresh, the old token is used once more, then one logs in")
    func killedAfterAnswer() throws {
        try clients.logIn(in: store, thenUsable: false)
        try clients.hold(.answer)
        let others = try clients.killFirst(of: clients.ask(crowd), at: .answer)
        #expect(try clients.answers(of: others) == all("access-3", but: 1))
        #expect(clients.log == ["login", "refresh 1", "reuse 1", "login"])
        try clients.open(.answer)
    }

    @Test("a refresh whose only caller is cancelled is sent and stored, for all other processes")
    func cancelled() throws {
        try clients.logIn(in: store, thenUsable: false)
        try clients.hold(.refresh)
        try clients.hold(.end)
        let leaving = try clients.ask(1, "cancel")
        try clients.wait(for: "the cancelled caller") { leaving[0].answers == ["cancelled"] }
        try clients.awaitArrivals(1, at: .refresh)
        // The caller and its task group have ended, but the closure has not sent its request yet.
        let waiting = try clients.ask(crowd)
        #expect(clients.log == ["login"])
        try clients.open(.refresh)
        #expect(try clients.answers(of: waiting) == all("access-2"))
        #expect(try clients.answers(of: clients.ask(1)) == ["access-2"])
        #expect(clients.log == ["login", "refresh 1"])
        try clients.open(.end)
        #expect(try clients.answers(of: leaving) == ["cancelled"])
    }

    @Test("a refresh whose only caller is cancelled after the server's answer is stored, too")
    func cancelledLate() throws {
        try clients.logIn(in: store, thenUsable: false)
        try clients.hold(.answer)
        try clients.hold(.end)
        let leaving = try clients.ask(1, "cancel")
        try clients.wait(for: "the cancelled caller") { leaving[0].answers == ["cancelled"] }
        try clients.awaitArrivals(1, at: .answer)
        #expect(clients.log == ["login", "refresh 1"])
        try clients.open(.answer)
        try clients.awaitToken(2, in: store)
        #expect(try clients.answers(of: clients.ask(crowd)) == all("access-2"))
        #expect(clients.log == ["login", "refresh 1"])
        try clients.open(.end)
        #expect(try clients.answers(of: leaving) == ["cancelled"])
    }

    @Test("if the server refuses the refresh token, the same fetch logs in once, for 20 processes")
    func deadToken() throws {
        try clients.logIn(in: store, thenUsable: false)
        try clients.revokeTokens()
        try clients.hold(.refresh)
        let asking = try clients.ask(crowd)
        try clients.awaitArrivals(1, at: .refresh)
        try clients.open(.refresh)
        #expect(try clients.answers(of: asking) == all("access-2"))
        #expect(clients.log == ["login", "revoked", "refused 1", "login"])
    }

    /// A refresh that is slow before the server gets the request, or after the server has rotated the token.
    enum Delay: CaseIterable { case request, answer }

    @Test(
        "a refresh that exceeds its limit is stored late, and its callers get an error or a usable old token",
        arguments: Delay.allCases, [false, true])
    func late(delay: Delay, isUsable: Bool) throws {
        let gate: RotatingClients.Point = delay == .request ? .refresh : .answer
        try clients.logIn(in: store, thenUsable: isUsable)
        try clients.hold(gate)
        try clients.hold(.end)
        let slow = try clients.ask(1, "tasks", "\(crowd)", "2000")
        try clients.wait(for: "the limit") { slow[0].answers.count == crowd }
        #expect(slow[0].answers == all(isUsable ? "access-1" : "fetchTimedOut"))
        #expect(clients.log == (delay == .request ? ["login"] : ["login", "refresh 1"]))
        try clients.open(gate)
        try clients.awaitToken(2, in: store)
        #expect(try clients.answers(of: clients.ask(crowd)) == all("access-2"))
        #expect(clients.log == ["login", "refresh 1"])
        try clients.open(.end)
        #expect(try clients.answers(of: slow).count == crowd)
    }
}

/// The same clients as an ordinary user, who has a quota of 200 keys and 20,000 bytes.
///
/// Each test runs as a different user.
@Suite(
    "Refresh tokens and the quota", .tags(.kernel, .root), .enabled(if: isRoot, "needs root to become several users"),
    .serialized)
struct RotationQuotaTests {
    @Test("20 processes of an ordinary user have room to log in once and refresh once")
    func ordinaryUser() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try OrdinaryUser.becomeInNewSession(60_226)
            let clients = try RotatingClients(in: session, inSession: true)
            try clients.hold(.login)
            let first = try clients.ask(crowd)
            try clients.awaitArrivals(1, at: .login)
            try clients.open(.login)
            succeed(3, try clients.answers(of: first) == all("access-1"))
            try SecretStore(.keyring(session.serial)).makeDue(item, isUsable: false)
            try clients.hold(.refresh)
            let second = try clients.ask(crowd)
            try clients.awaitArrivals(1, at: .refresh)
            try clients.open(.refresh)
            succeed(4, try clients.answers(of: second) == all("access-2"))
            succeed(5, clients.log == ["login", "refresh 1"])
        }
    }

    enum Existing: Int, CaseIterable { case missing, unusable, usable }

    @Test(
        "on a full quota, no request is sent, and 20 processes get an error or the usable old token",
        arguments: Existing.allCases)
    func full(existing: Existing) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = existing.rawValue as Int] in
            guard let existing = Existing(rawValue: number) else { exit(2) }
            let session = try OrdinaryUser.becomeInNewSession([60_221, 60_222, 60_223][number])
            let clients = try RotatingClients(in: session, inSession: true)
            if existing != .missing {
                try clients.logIn(in: SecretStore(.keyring(session.serial)), thenUsable: existing == .usable)
            }
            let asking = try clients.start(crowd)
            let fillers = try QuotaFillers(in: session)
            try fillers.takeAll()
            try clients.letAsk()
            let answers = try clients.answers(of: asking)
            succeed(3, answers == all(existing == .usable ? "access-1" : "quotaExceeded"))
            succeed(4, clients.log == (existing == .missing ? [] : ["login"]))
            try fillers.removeAll()
            let next = existing == .missing ? "access-1" : "access-2"
            succeed(5, try clients.answers(of: clients.ask(1)) == [next])
            succeed(6, clients.log == (existing == .missing ? ["login"] : ["login", "refresh 1"]))
        }
    }

    @Test(
        "a refresh that is sent is stored, even if other keys take all the room that is left meanwhile",
        arguments: QuotaFillers.Resource.allCases)
    func reservedRoom(resource: QuotaFillers.Resource) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = resource.rawValue as Int] in
            guard let resource = QuotaFillers.Resource(rawValue: number) else { exit(2) }
            let session = try OrdinaryUser.becomeInNewSession([60_224, 60_225][number])
            let clients = try RotatingClients(in: session, inSession: true)
            try clients.logIn(in: SecretStore(.keyring(session.serial)), thenUsable: false)
            let fillers = try QuotaFillers(in: session)
            try clients.hold(.refresh)
            let asking = try askInLeastRoom(clients, fillers, resource)
            succeed(4, clients.log == ["login"])
            try fillers.takeAll()
            try clients.open(.refresh)
            succeed(5, try clients.answers(of: asking) == ["access-2"])
            // The quota is still full, so these processes can only get a token that is stored and fresh.
            succeed(6, try clients.answers(of: clients.ask(crowd)) == all("access-2"))
            succeed(7, clients.log == ["login", "refresh 1"])
        }
    }
}

/// Finds the least room in which a refresh is begun, and returns the client whose closure waits at the gate `refresh`.
///
/// With less room, clients get an error and send nothing.
private func askInLeastRoom(
    _ clients: RotatingClients, _ fillers: QuotaFillers, _ resource: QuotaFillers.Resource
) throws -> [RotatingClients.Client] {
    let (step, most) = resource == .bytes ? (256, 8_192) : (1, 40)
    for room in stride(from: step, through: most, by: step) {
        try fillers.leave(room, resource)
        let asking = try clients.ask(1)
        try clients.wait(for: "an answer or a request") {
            !asking[0].answers.isEmpty || !clients.arrivals(at: .refresh).isEmpty
        }
        if asking[0].answers.isEmpty { return asking }
        succeed(3, try clients.answers(of: asking) == ["quotaExceeded"])
    }
    throw ChildProcess.Failure(description: "no refresh was begun with room for \(most) \(resource)")
}
