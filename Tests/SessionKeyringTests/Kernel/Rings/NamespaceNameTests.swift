import Keyutils
import SessionKeyringTesting
import Testing

@testable import SessionKeyring

@Suite("Namespace names", .tags(.kernel))
struct NamespaceNameTests {
    @Test("an item ring's name decodes to its namespace; other keyring names decode to nil")
    func rings() {
        for namespace in ["a", "default", "a:b", ".x", "50 %", "é"] {
            let name = NamespaceRings.itemsName(of: namespace)
            #expect(NamespaceRings.namespace(ofItemsName: name) == namespace)
        }
        for name in ["skr:", "skr", "", "skr:a:b", "skr:%41", "Skr:a", "other", NamespaceRings.leasesName] {
            #expect(NamespaceRings.namespace(ofItemsName: name) == nil, "\(name)")
        }
    }

    @Test("the names of all keyrings that a store makes are reserved, and so are those of the kernel")
    func reserved() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store(namespace: "a b")
        let item = ItemIdentity.password(service: "s")
        try store.set("1", for: item)
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
        let lease = try store.backend.takeLease("deploy", lasting: .seconds(60))
        let leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
        var names = [try Key(scratch.keyring).describe().name]
        for serial in try scratch.keyring.members() + leases.members() {
            let key = try Key(serial).describe()
            if key.type == .keyring { names.append(key.name) }
        }
        #expect(names.count == 5)
        for name in names + ["_ses", "_uid.0", ".builtin", NamespaceRings.makingPrefix + "x"] {
            #expect(NamespaceRings.isReserved(name), "\(name)")
        }
        for name in ["work", "skr", "skr-test", "a_b", "a.b"] { #expect(!NamespaceRings.isReserved(name), "\(name)") }
        withExtendedLifetime((update, lease)) {}
    }

    @Test("a namespace of 251 bytes works; a longer or empty one is an invalid name")
    func limit() throws {
        let scratch = try ScratchKeyring()
        let longest = String(repeating: "x", count: 251)
        let store = try scratch.store(namespace: longest)
        try store.set("1", for: .password(service: "api"))
        #expect(try store.get(.password(service: "api")) == "1")
        for namespace in [longest + "x", ""] {
            #expect {
                _ = try scratch.store(namespace: namespace)
            } throws: {
                if case .invalidName? = ($0 as? SecretStoreError)?.code { true } else { false }
            }
        }
    }
}
