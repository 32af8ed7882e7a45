import Foundation
import SessionKeyring
import SessionKeyringTesting
import Testing

/// A domain type that doesn't know how it is stored: it isn't `Codable`.
private struct AuthToken: Equatable, Sendable {
    let accessToken: String
    let expiry: Date
    let refreshToken: String
}

private struct AuthTokenMirror: SecretMirror {
    let accessToken: String
    let expiry: Date
    let refreshToken: String

    init(mirroring token: AuthToken) {
        accessToken = token.accessToken
        expiry = token.expiry
        refreshToken = token.refreshToken
    }

    func restore() -> AuthToken {
        AuthToken(accessToken: accessToken, expiry: expiry, refreshToken: refreshToken)
    }
}

/// A client that signs in and out.
private struct Client: Sendable {
    let token: SecretSlot<AuthToken>

    func signIn(_ new: AuthToken) throws(SecretStoreError) { try token.save(new) }
    func authorization() throws(SecretStoreError) -> String { "Bearer \(try token.load().accessToken)" }
}

private let item = ItemIdentity.password(service: "auth", account: "token")
private let first = AuthToken(
    accessToken: "a1", expiry: Date(timeIntervalSinceReferenceDate: 786_000_000.125), refreshToken: "r1")
private let second = AuthToken(accessToken: "a2", expiry: Date(), refreshToken: "r2")

@Suite("Flow 1: an auth token through a saver and a loader", .tags(.kernel))
struct AuthTokenFlowTests {
    @Test("a token can be saved, loaded and replaced, and a logout clears it", arguments: Place.allCases)
    func wholeLife(place: Place) throws {
        let kernel = try ScratchStore()
        let store = kernel.store(in: place)
        let slot = store.slot(for: item, through: AuthTokenMirror.self, lasting: .seconds(3_600))
        let client = Client(token: slot)

        #expect { try client.authorization() } throws: { ($0 as? SecretStoreError)?.code == .notFound }
        try client.signIn(first)
        #expect(try slot.load() == first)
        #expect(try client.authorization() == "Bearer a1")
        try client.signIn(second)
        #expect(try slot.load() == second)
        #expect(try store.identities() == [item])

        try store.clear()
        #expect { try slot.load() } throws: { ($0 as? SecretStoreError)?.code == .notFound }
        #expect(try slot.loadIfPresent() == nil)
        #expect(try !slot.delete())
    }

    @Test("the stored value is JSON that jq can read")
    func isJSON() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.slot(for: item, through: AuthTokenMirror.self).save(first)
        let text = try #require(try store.get(item, as: String.self))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["accessToken", "expiry", "refreshToken"])
    }
}
