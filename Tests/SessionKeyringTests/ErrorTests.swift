import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "api")

@Suite("The store's errors", .tags(.kernel))
struct ErrorTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("errors are equal if their codes, items and error numbers are, whatever the call or quota")
    func equality() throws {
        let quota = try KeyQuota.current()
        let one = SecretStoreError(.quotaExceeded, item: item, underlying: KeyringError(errno: EDQUOT, in: .add))
        let same = SecretStoreError(
            .quotaExceeded, item: item, underlying: KeyringError(errno: EDQUOT, in: .move), quota: quota)
        #expect(one == same)
        #expect(Set([one, same]).count == 1)
        // Details don't count, because a user's program can't create an error with a detail.
        #expect(SecretStoreError(.leaseDuration) == SecretStoreError(.invalidTimeout))
        for other in [
            SecretStoreError(.contended, item: item, underlying: one.underlying),
            SecretStoreError(.quotaExceeded, underlying: one.underlying),
            SecretStoreError(.quotaExceeded, item: item, underlying: KeyringError(errno: ENOMEM, in: .add)),
            SecretStoreError(.quotaExceeded, item: item),
        ] { #expect(one != other) }
    }

    @Test(
        "each kernel error maps to a store error code and is kept as the underlying error",
        arguments: [
            (EACCES, .forbidden), (EPERM, .unavailable), (ENOSYS, .unavailable), (EDQUOT, .quotaExceeded),
            (ENOKEY, .notFound), (EKEYEXPIRED, .notFound), (EKEYREVOKED, .sessionRevoked), (EOPNOTSUPP, .unavailable),
            (ENOMEM, .unexpected), (EINVAL, .unexpected),
        ] as [(CInt, SecretStoreError.Code)])
    func kernelError(errno: CInt, code: SecretStoreError.Code) {
        let kernel = KeyringError(errno: errno, in: .add)
        let error = SecretStoreError(kernel, item: item)
        #expect(error.code == code)
        #expect(error.item == item)
        #expect(error.underlying == kernel)
        #expect((error.quota != nil) == (code == .quotaExceeded))
    }

    @Test("an error about a restricted keyring names the keyring and item and keeps the kernel error")
    func restricted() throws {
        let ring = try kernel.scratch.keyring.addKeyring("restricted")
        try ring.restrict()
        let error = try #require(throws: KeyringError.self) { try ring.add(.user, "key", payload: [1].span.bytes) }
        let told = SecretStoreError(error, item: item)
        #expect(told.detail == .restricted(ring.serial))
        #expect(told.item == item)
        #expect(told.underlying == error)
    }

    @Test("unreadable keys are listed in ascending order of their serials")
    func unreadable() throws {
        try store.set("1", for: item)
        let ring = try kernel.scratch.keyring.search(keyring: "skr:default")
        for number in 0..<4 {
            let key = try Wait.forQuota { () throws(KeyringError) in
                try ring.add(.user, "password:hidden\(number):", payload: [1].span.bytes)
            }
            try key.setPermissions([.userView, .userSetAttribute])
        }
        let serials = try store.unreadableKeys().map(\.rawValue)
        #expect(serials.count == 4)
        #expect(serials == serials.sorted())
    }

    @Test("an error about a full quota contains its figures, if the kernel reports them")
    func quota() throws {
        let quota = try KeyQuota.current()
        let error = SecretStoreError(.quotaExceeded, item: item, underlying: nil, quota: quota)
        #expect(
            "\(error)".hasPrefix("password:api: the user's key quota is full: \(quota.keys) of \(quota.maximumKeys)"))
        #expect("\(SecretStoreError(.quotaExceeded))" == "the user's key quota is full")
    }

    @Test("localizedDescription describes the problem, even if the error's type is unknown")
    func localized() {
        let error: any Error = SecretStoreError(.duplicate, item: item)
        #expect(error.localizedDescription == "password:api: the item already exists")
        let kernel: any Error = KeyringError(errno: EKEYEXPIRED, in: .read)
        #expect(kernel.localizedDescription == "keyctl_read: the key has expired (errno \(EKEYEXPIRED))")
    }

    @Test("an error about the name of a namespace or lease names that, and not the service")
    func names() throws {
        #expect { _ = try kernel.scratch.store(namespace: "") } throws: { "\($0)" == "the namespace's name is empty" }
        #expect { _ = try kernel.scratch.store(namespace: String(repeating: "x", count: 300)) } throws: {
            "\($0)".hasPrefix("the namespace's name takes 3") && ($0 as? SecretStoreError)?.code == .invalidName
        }
        #expect { _ = try store.blockingTryLease("", lasting: .seconds(1)) } throws: {
            "\($0)" == "the lease's name is empty"
        }
        #expect { try store.set("1", for: .password(service: "")) } throws: {
            "\($0)".contains("the name is empty")
        }
    }

    @Test("a long name is cut in an error, so that the rest of the message is readable")
    func longName() {
        let long = ItemIdentity.password(service: String(repeating: "x", count: 65_536))
        #expect { try SecretStore(backend: InMemoryBackend()).set("1", for: long) } throws: {
            let text = "\($0)"
            return text.utf8.count < 400 && text.contains("takes 65546 bytes")
        }
    }

    @Test("no error names one of the store's hidden items")
    func hidden() {
        let named = ItemIdentity.password(service: "api", account: "alice")
        for hidden in [named.companion, named.watch, named.failure] {
            #expect(SecretStoreError(.quotaExceeded, item: hidden).item == named)
        }
    }

    @Test("an error from a value's own encoding is named by its type, without its contents")
    func encoding() {
        struct Leak: Error { let secret = "s3cret" }
        struct Value: Encodable { func encode(to encoder: any Encoder) throws { throw Leak() } }
        #expect { try SecretStore(backend: InMemoryBackend()).set(Value(), for: item) } throws: {
            let text = "\($0)"
            return text.contains("Leak was thrown") && !text.contains("s3cret")
        }
    }

    @Test("a write inside an update of the same item is reported as such", arguments: ["kernel", "memory", "wrapped"])
    func insideUpdate(backend: String) async throws {
        let store =
            switch backend {
            case "memory": SecretStore(backend: InMemoryBackend())
            case "wrapped": SecretStore(backend: WrappedBackend(whole: kernel.store.backend))
            default: kernel.store
            }
        try store.set("1", for: item)
        let writes: [@Sendable () throws -> Void] = [
            { try store.set("2", for: item) }, { try store.add("2", for: item) }, { try store.delete(item) },
            { try store.expire(item, timeout: .seconds(5)) }, { try store.expire(item, timeout: nil) },
            { try store.set(SecretBytes(utf8: "2"), for: item) }, { try store.add(SecretBytes(utf8: "2"), for: item) },
            { _ = try store.deleteUnchanged(item, SecretBytes(utf8: "1")) },
            { try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "2" } },
        ]
        for write in writes {
            await #expect {
                try await store.update(item, lasting: .scope) { (_: String?) in
                    try write()
                    return "3"
                }
            } throws: {
                ($0 as? SecretStoreError)?.detail == .insideUpdate
            }
        }
        // The closure can write another item, and later code can write the same item.
        try await store.update(item, lasting: .scope) { (_: String?) in
            try store.set("x", for: .password(service: "other"))
            return try store.get(item, as: String.self)
        }
        try store.set("4", for: item)
    }

    @Test("an update that has ended stops nobody, while another one is in its closure")
    func afterUpdate() throws {
        let store = SecretStore(backend: InMemoryBackend())
        try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "1" }
        try store.blockingUpdate(.password(service: "other"), lasting: .scope) { (_: String?) in
            try store.set("2", for: item)
            return "x"
        }
        #expect(try store.get(item) == "2")
    }

    @Test("an update starts again if its item is removed in the meantime", arguments: [false, true], Place.allCases)
    func removedMeanwhile(inTask isInTask: Bool, place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("1", for: item)
        var seen: [String?] = []
        func change(_ old: String?) throws -> String? {
            seen.append(old)
            if seen.count == 1 { try store.clear() }
            return (old ?? "none") + "+"
        }
        if isInTask {
            try await store.update(item, lasting: .scope, change)
        } else {
            try blocking { try store.blockingUpdate(item, lasting: .scope, change) }
        }
        #expect(seen == ["1", nil])
        #expect(try store.get(item) == "none+")
    }

    @Test("storing into a keyring that no longer exists fails with notFound")
    func goneKeyring() throws {
        try Key(kernel.scratch.keyring).invalidate()
        // Longer than the kernel needs to collect the keyring.
        usleep(100_000)
        let calls: [() throws -> Void] = [
            { try store.set("1", for: item) }, { try store.add("1", for: item) },
            { _ = try store.blockingTryLease("job", lasting: .seconds(1)) },
        ]
        for call in calls { #expect { try call() } throws: { ($0 as? SecretStoreError)?.code == .notFound } }
    }

    @Test("a thread that does not share the process keyring gets a foreignThread error")
    func foreignThread() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = Locked<SecretStore?>(nil)
            let codes = Locked<[SecretStoreError.Detail?]>([])
            let early = Thread {
                while store.withLock({ $0 == nil }) { usleep(1_000) }
                guard let store = store.withLock({ $0 }) else { exit(3) }
                for call: (SecretStore) throws -> Void in [
                    { _ = try $0.bytes(of: item) }, { try $0.set("1", for: item) }, { try $0.delete(item) },
                    { _ = try $0.items() }, { try $0.clear() },
                    { _ = try $0.blockingTryLease("job", lasting: .seconds(1)) },
                ] {
                    do { try call(store) } catch let error as SecretStoreError {
                        codes.withLock { $0.append(error.detail) }
                    } catch {}
                }
                exit(codes.withLock { $0 == Array(repeating: .foreignThread, count: 6) } ? 0 : 4)
            }
            early.start()
            let made = try SecretStore(.process)
            try made.set("0", for: item)
            store.withLock { $0 = made }
            while true { sleep(1) }
        }
    }

    @Test("outside the package, a switch over a type that can grow must handle unknown cases", .tags(.anyUser))
    func nonexhaustive() throws {
        let types = [
            ("ItemAttributes.Expiry", ["never", "after", "unknown"]),
            ("KeyTable.Entry.Expiry", ["never", "expired", "left"]),
            (
                "KeyConstruction.DefaultDestination",
                ["standard", "thread", "process", "session", "user", "userSession"]
            ),
        ]
        let programs = types.flatMap { type, cases in
            ["@unknown default: break", ""].map { last in
                """
                import Keyutils
                import SessionKeyring
                func use\(last.isEmpty ? "Incompletely" : "")(_ value: \(type)) {
                    switch value {
                    \(cases.map { "case .\($0): break" }.joined(separator: "\n"))
                    \(last)
                    }
                }
                """
            }
        }
        let messages = try TypeCheck.messages(aboutEach: programs)
        for (number, (type, _)) in types.enumerated() {
            #expect(messages[2 * number].isEmpty, "\(type): \(messages[2 * number])")
            #expect(
                messages[2 * number + 1].contains { $0.contains("may have additional unknown values") },
                "\(type): \(messages[2 * number + 1])")
        }
    }

    @Test("a path to a wrong value omits a dictionary's keys, because they are data")
    func paths() throws {
        struct Outer<Inner: Codable>: Codable { let tokens: [String: [Inner]] }
        let store = SecretStore(backend: InMemoryBackend())
        try store.set(Outer(tokens: ["ghp_s3cret": ["x"]]), for: item)
        #expect { try store.get(item, as: Outer<Int>.self) } throws: { error in
            (error as? SecretStoreError)?.code == .undecodable(at: "tokens[*][0]")
        }
        try store.set(["ghp_s3cret": "x"], for: item)
        #expect { try store.get(item, as: [String: Int].self) } throws: { error in
            (error as? SecretStoreError)?.code == .undecodable(at: "[*]") && !"\(error)".contains("s3cret")
        }
    }

    @Test(
        "a path leads to a wrong type or number, to a missing value or key, or to invalid JSON",
        arguments: [
            (#"{"inner":{"number":"x"}}"#, "inner.number"), (#"{"inner":{"number":null}}"#, "inner.number"),
            (#"{"inner":{}}"#, "inner.number"), (#"{"inner":{"number":2}}"#, "inner.number"),
            (#"{"inner":"#, "the top level"), ("[]", "the top level"),
        ])
    func pathOfEachKind(text: String, path: String) throws {
        struct Outer: Codable {
            enum Number: Int, Codable { case one = 1 }
            struct Inner: Codable { let number: Number }
            let inner: Inner
        }
        let store = SecretStore(backend: InMemoryBackend())
        try store.set(text, for: item)
        #expect { try store.get(item, as: Outer.self) } throws: { error in
            (error as? SecretStoreError)?.code == .undecodable(at: path)
        }
    }
}

/// A backend that wraps another one and has no place.
private struct WrappedBackend: ForwardingBackend {
    let whole: any SecretBackend
    var place: StorePlace? { nil }
}
