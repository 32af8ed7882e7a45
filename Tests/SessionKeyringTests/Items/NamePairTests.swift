import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

@Suite("Names that are equal as characters, or but for their case", .tags(.kernel))
struct NamePairTests {
    private let kernel: ScratchStore
    private let pairs: [NamePair]

    init() throws {
        kernel = try ScratchStore()
        print("pairs of names: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 3)
        pairs = (0..<20).map { _ in NamePair(using: &random) }
    }

    @Test("are the names of different items", arguments: Place.allCases)
    func items(place: Place) throws {
        let store = kernel.store(in: place)
        let ways: [(String) -> ItemIdentity] = [
            { .password(service: $0) }, { .password(service: "s", account: $0) }, { .internet(server: $0) },
            { .credential(service: "s", account: $0) }, { .key(tag: $0) }, { .cached($0) },
            { .cached("c", variant: $0) },
            { .secret(attributes: [Name($0): "value"]) }, { .secret(attributes: ["name": Name($0)]) },
        ]
        for pair in pairs {
            for item in ways {
                #expect(
                    try pair.mixUp(
                        set: { try store.set($1, for: item($0)) }, get: { try store.get(item($0)) },
                        delete: { try store.delete(item($0)) }) == nil)
                let both = [item(pair.first), item(pair.second)]
                for item in both { try store.set("x", for: item) }
                let found = try store.identities()
                #expect(Set(found) == Set(both), "\(pair)")
                #expect(found.map(\.keyDescription) == both.map(\.keyDescription).sorted(), "\(pair)")
                try store.clear()
            }
        }
    }

    @Test("are different services and accounts for everything that selects items by them", arguments: Place.allCases)
    func selection(place: Place) throws {
        let store = kernel.store(in: place)
        for pair in pairs {
            let all = [pair.first, pair.second].map { ItemIdentity.password(service: $0, account: $0) }
            for item in all { try store.set("x", for: item) }
            let accounts = [pair.first, pair.second].sorted()
            // The pair has shorter names.
            let service = "a service with two accounts"
            for account in accounts { try store.set("x", for: .password(service: service, account: account)) }
            for kind in [nil, .password] as [ItemIdentity.Kind?] {
                func named(_ service: String) throws -> ItemIdentity? {
                    try .named(service, account: nil, of: kind, isThere: store.contains, among: store.identities)
                }
                #expect(try named(pair.first) == all[0], "\(pair)")
                #expect(try named(pair.second) == all[1], "\(pair)")
                let error = try storeError { _ = try named(service) }
                #expect(error?.code == .ambiguous(accounts: accounts), "\(pair)")
            }
            #expect(try store.delete(all[0]), "\(pair)")
            #expect(try store.contains(all[1]) && store.identities().count == 3, "\(pair)")
            try store.clear()
        }
    }

    @Test("are fetched separately at the same time", arguments: Place.allCases)
    func fetches(place: Place) async throws {
        let store = kernel.store(in: place)
        for pair in pairs {
            async let first = store.value(for: .cached(pair.first), as: String.self) { "1" }
            async let second = store.value(for: .cached(pair.second), as: String.self) { "2" }
            #expect(try await [first, second] == ["1", "2"], "\(pair)")
            // The pair can be drawn again.
            try store.clear()
        }
    }

    @Test("are different leases", arguments: Place.allCases)
    func leases(place: Place) throws {
        let backend = kernel.store(in: place).backend
        for pair in pairs {
            var held: [Name: (lease: any LeaseHandle, secret: String)] = [:]
            #expect(
                try pair.mixUp(
                    set: { held[$0] = (try backend.takeLease($0, lasting: .seconds(60)), $1) },
                    get: { try backend.isLeaseHeld($0) ? held[$0]?.secret ?? "another lease" : nil },
                    delete: { _ = held[$0]?.lease.release() }) == nil)
        }
    }

    @Test("are different namespaces")
    func namespaces() throws {
        let scope = SecretScope.keyring(kernel.scratch.keyring.serial)
        let item = ItemIdentity.password(service: "s")
        for pair in pairs {
            func store(_ name: String) throws -> SecretStore { try SecretStore(scope, namespace: name) }
            #expect(
                try pair.mixUp(
                    set: { try store($0).set($1, for: item) }, get: { try store($0).get(item) },
                    delete: { try store($0).clear() }) == nil)
            for name in [pair.first, pair.second] { try store(name).set("x", for: item) }
            let found = try SecretStore(scope).namespaces()
            #expect(found.contains(pair.first) && found.contains(pair.second), "\(pair)")
            for name in [pair.first, pair.second] { try store(name).clear() }
        }
    }
}
