import Keyutils
import SessionKeyring
import Threads

extension BackendConformance {
    /// Begins a fetch, calls `event`, and stores the fetched value.
    ///
    /// - Returns: whether the value was stored.
    private static func fetch(in store: SecretStore, while event: () throws -> Void = {}) throws -> Bool {
        var wait = Wait()
        let fetch = try wait.run { effort throws(SecretStoreError) in
            try store.backend.beginFetch(of: item, reserving: nil, effort)
        }
        try event()
        let storage = try wait.run { effort throws(SecretStoreError) in
            try SecretBytes(utf8: "fetched").withBytes { bytes throws(SecretStoreError) in
                try fetch?.store(bytes, timeout: .longest, nil, effort) ?? .done(.nothing)
            }
        }
        return storage != .nothing
    }

    static let fetches = [
        Check("a fetched value is stored with its timeout, whether or not the item exists") { store in
            for old in [nil, "old"] {
                if let old { try store.set(old, for: item) }
                try expect(
                    try fetch(in: store) { try store.set("1", for: .password(service: "other")) }, "it is stored")
                try expect(try store.get(item) == "fetched", "get returns it")
                try expect(try store.attributes(of: item)?.expiry != .never, "it has its timeout")
                try store.clear()
            }
        },
        Check("a fetched value is not stored if the item changed during the fetch") { store in
            let events: [(String, () throws -> Void)] = [
                ("set", { try store.set("set", for: item) }),
                ("set to the same value", { try store.set("old", for: item) }),
                ("update", { try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "updated" } }),
                (
                    "delete",
                    {
                        if try store.delete(item) { return }
                        try store.set("brief", for: item)
                        try store.delete(item)
                    }
                ),
                (
                    "delete and add",
                    {
                        try store.delete(item)
                        try store.add("added", for: item)
                    }
                ),
                ("clear", { try store.clear() }),
                ("another fetch", { _ = try fetch(in: store) }),
                (
                    "the beginning of another fetch",
                    {
                        var wait = Wait()
                        _ = try wait.run { effort throws(SecretStoreError) in
                            try store.backend.beginFetch(of: item, reserving: nil, effort)
                        }
                    }
                ),
            ]
            for old in ["old", nil] {
                for (name, event) in events {
                    try store.clear()
                    if let old { try store.set(old, for: item) }
                    var after: String?
                    let isStored = try fetch(in: store) {
                        try event()
                        after = try store.get(item)
                    }
                    try expect(!isStored, "\(name): the fetched value is not stored")
                    try expect(try store.get(item) == after, "\(name): the current value stays")
                }
            }
        },
        Check("a value that is refused during its fetch is not stored again, but another one is") { store in
            for old in ["fetched", "old"] {
                try store.set(old, for: item)
                let isStored = try fetch(in: store) { _ = try store.invalidate(old, for: item) }
                try expect(isStored == (old == "old"), "only another value is stored")
                try expect(try facts(of: item, in: store)?.isRefused == (isStored ? nil : true), "it stays refused")
            }
        },
        Check(
            "the facts about a value are not listed, and end with it",
            inTask: { store in
                try store.set(
                    "1", for: item,
                    lasting: Lifetime(.seconds(100), refreshAfter: .seconds(50), usableFor: .seconds(60)))
                try expect(
                    try store.identities() == [item] && store.items().map(\.item) == [item], "the item is listed alone")
                @Sendable func value() async throws -> String {
                    try await store.refreshedValue(for: item, as: String.self) { _ in ("fetched", .scope) }
                }
                try expect(try await value() == "1", "the value is fresh")
                try expect(try store.invalidate("1", for: item), "the value is marked as refused")
                try expect(try await value() == "fetched", "the mark is found, and the value is fetched again")
                try expect(try store.identities() == [item], "the item is still listed alone")
                try expect(try facts(of: item, in: store) != nil, "its facts are found")
                try await store.update(item, lasting: .scope) { (_: String?) in "fetched" }
                try expect(try await value() == "fetched", "the updated value is not fetched again")
                try store.set("fetched", for: item)
                try expect(try facts(of: item, in: store) == nil, "they don't count for a new value, even the same")
                try await store.update(item, lasting: .token(livingFor: .seconds(60))) { (_: String?) in "updated" }
                try expect(try await value() == "updated", "an update can state facts too")
            }),
    ]

    static let noWaiting = [
        Check("a backend does not wait for the holder of an item, and no call succeeds without effect") { store in
            let backend = store.backend
            try store.set("old", for: item)
            var wait = Wait()
            let update = try wait.run { effort throws(SecretStoreError) in
                try backend.beginUpdate(of: item, lasting: .seconds(60), effort)
            }
            let new = Array("new".utf8)
            let isNew = { try store.get(item) == "new" }
            let calls: [(String, (Effort) throws -> Bool, isDone: () throws -> Bool)] = [
                (
                    "set",
                    { try isDone(unsafe backend.set(new.span.bytes, for: item, timeout: nil, nil, $0, after: nil)) },
                    isNew
                ),
                ("expire", { try isDone(backend.expire(item, timeout: .longest, $0)) }, { try store.contains(item) }),
                ("delete", { try isDone(backend.delete(item, $0, after: nil)) }, { try !store.contains(item) }),
                ("add", { try isDone(unsafe backend.add(new.span.bytes, for: item, timeout: nil, nil, $0)) }, isNew),
                ("update", { try isDone(backend.beginUpdate(of: item, lasting: .seconds(1), $0)) }, { true }),
            ]
            for (name, call, takesEffect) in calls {
                let start = ContinuousClock.now
                do {
                    if try call(Effort(mayUseLastResorts: name == "delete")) {
                        try expect(try takesEffect(), "\(name) takes effect, or is blocked")
                    }
                } catch let error as SecretStoreError where error.code == .duplicate {}
                try expect(ContinuousClock.now - start < .seconds(2), "\(name) does not wait")
            }
            withExtendedLifetime(update) {}
        }
    ]

    private static func isDone<Output>(_ outcome: Outcome<Output>) -> Bool {
        if case .done = outcome { true } else { false }
    }

    private static func facts(of item: ItemIdentity, in store: SecretStore) throws -> ItemFacts? {
        try store.backend.readWithFacts(item) { _ in }?.facts
    }
}
