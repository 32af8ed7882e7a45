import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("Which client an item belongs to")
struct ItemOwnerTests {
    private let test = HelperUnderTest()

    /// A client that stores a secret under a name.
    ///
    /// git has a case for each form in which it stores one.
    enum Client: CaseIterable {
        case docker, gitPassword, gitRefreshed, gitBearer, keyring, terraform, vault

        func shares(with other: Client) -> Bool {
            let users: [Client] = [.gitPassword, .gitRefreshed, .keyring]
            let tokens: [Client] = [.terraform, .vault]
            return [users, tokens].contains { $0.contains(self) && $0.contains(other) }
        }

        func store(_ secret: String, _ service: String, in test: HelperUnderTest) throws -> HelperUnderTest.Said {
            switch self {
            case .docker:
                try test.docker("store", #"{"ServerURL":"\#(service)","Username":"u","Secret":"\#(secret)"}"#)
            case .gitPassword: try test.git("store", git(service) + "password=\(secret)\n")
            case .gitRefreshed:
                try test.git("store", git(service) + "password=\(secret)\noauth_refresh_token=r\n")
            case .gitBearer: try test.git("store", git(service) + "authtype=Bearer\ncredential=\(secret)\n")
            case .keyring: try test.keyringSet(service, "u", secret)
            case .terraform: try test.terraform("store", "{\"token\":\"\(secret)\"}", host: service)
            case .vault: try test.vault("store", secret, server: service)
            }
        }

        func get(_ service: String, in test: HelperUnderTest) throws -> String {
            switch self {
            case .docker: try test.docker("get", service).output
            case .gitPassword, .gitRefreshed, .gitBearer: try test.git("get", git(service)).output
            case .keyring: try test.keyringGet(service, "u").output
            case .terraform: try test.terraform("get", host: service).output
            case .vault: try test.vault("get", server: service).output
            }
        }

        func erase(_ service: String, in test: HelperUnderTest) throws {
            switch self {
            case .docker: try test.docker("erase", service)
            case .gitPassword, .gitRefreshed, .gitBearer: try test.git("erase", git(service))
            case .keyring: _ = try test.keyringDelete(service, "u")
            case .terraform: _ = try test.terraform("forget", host: service)
            case .vault: _ = try test.vault("erase", server: service)
            }
        }

        /// The lines of git's request for `service`.
        private func git(_ service: String) -> String {
            let parts = service.dropFirst("https://".count).split(separator: "/", maxSplits: 1)
            return "capability[]=authtype\nprotocol=https\nhost=\(parts[0])\npath=\(parts.dropFirst().first ?? "")\n"
                + "username=\(self == .gitBearer ? "" : "u")\n"
        }

        /// Whether the client uses such a name: git uses only URLs.
        func knows(_ service: String) -> Bool {
            ![.gitPassword, .gitRefreshed, .gitBearer].contains(self) || service.hasPrefix("https://")
        }
    }

    @Test("a client that asks for a URL does not get items that belong to docker or git")
    func addresses() throws {
        _ = try Client.docker.store("one", "https://a.example", in: test)
        _ = try Client.docker.store("two", "https://a.example/v2", in: test)
        _ = try Client.gitBearer.store("three", "https://a.example", in: test)
        #expect(try test.go("https://a.example/v2/x").output == "")
        #expect(try test.bazel(#"{"uri":"https://a.example/v2/x"}"#).output == "{\"headers\":{}}\n")
    }

    @Test("a client that asks for any account does not get docker's record")
    func anyAccount() throws {
        _ = try Client.docker.store("one", "single", in: test)
        #expect(try !test.keyringGet("single", nil, .credentials).output.contains("one"))
    }

    @Test("if the store refuses a change, the client's request fails", arguments: Client.allCases)
    func refused(client: Client) throws {
        let whole = InMemoryBackend()
        for name in ["https://h.example:8443/a", "https://h.example/v2"] {
            let refusing = HelperUnderTest(backend: RefusingBackend(whole: whole))
            #expect(HelperUnderTest.code { _ = try client.store("new", name, in: refusing) } == .forbidden)
            #expect(try client.store("old", name, in: HelperUnderTest(backend: whole)).exitCode == 0)
            #expect(HelperUnderTest.code { try client.erase(name, in: refusing) } == .forbidden)
            #expect(try client.get(name, in: refusing).contains("old"))
        }
    }

    @Test("an item that git stored with a user is found by name, even under a registry's path")
    func registryPath() throws {
        let service = "https://h.example/v2"
        _ = try Client.keyring.store("one", service, in: test)
        _ = try Client.gitPassword.store("two", service, in: test)
        #expect(try Client.keyring.get(service, in: test) == "two\n")
        #expect(try !Client.docker.get(service, in: test).contains("two"))
        try Client.keyring.erase(service, in: test)
        #expect(try test.stored == [:])
    }

    @Test(
        "an internet password belongs to docker if its service is named like a registry",
        arguments: [("ghcr.io", true), ("localhost", true), ("localhost:5000", true), ("localhosts", false)])
    func registryName(service: String, isDockers: Bool) throws {
        try test.store.set("one", for: .internet(server: service, account: "u"))
        #expect(try test.docker("list").output == (isDockers ? "{\"\(service)\":\"u\"}\n" : "{}\n"))
        #expect(try test.docker("get", service).output.contains("one") == isDockers)
    }

    @Test(
        "no client gets, replaces or deletes an item that another stored under the same name",
        arguments: [
            "https://plain.example", "https://h.example/v2", "https://h.example/v1/", "https://h.example:8443/a",
            "ghcr.io",
            "single", "localhost:5000",
        ])
    func pairs(service: String) throws {
        let clients = Client.allCases.filter { $0.knows(service) }
        for first in clients {
            for second in clients where first != second && !first.shares(with: second) {
                let test = HelperUnderTest()
                let pair: Comment = "\(first), then \(second)"
                #expect(try first.store("one", service, in: test).exitCode == 0)
                // docker's get also finds an item that was set by hand.
                let isRead = try second == .docker && test.stored.keys.contains { $0.hasPrefix("password:") }
                #expect(try second.get(service, in: test).contains("one") == isRead, pair)
                for secret in ["two", "one"] {
                    let isStored = try second.store(secret, service, in: test).exitCode == 0
                    #expect(try second.get(service, in: test).contains(secret) == isStored, pair)
                    #expect(try first.get(service, in: test).contains("one"), pair)
                }
                try second.erase(service, in: test)
                #expect(try second.get(service, in: test).contains("one") == isRead, pair)
                #expect(try first.get(service, in: test).contains("one"), pair)
            }
        }
    }
}

/// A backend that refuses every change.
private struct RefusingBackend: ForwardingBackend {
    let whole: any SecretBackend

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        throw SecretStoreError(.forbidden, item: item)
    }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        throw SecretStoreError(.forbidden, item: item)
    }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        throw SecretStoreError(.forbidden, item: item)
    }

    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        throw SecretStoreError(.forbidden, item: item)
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        throw SecretStoreError(.forbidden, item: item)
    }
}
