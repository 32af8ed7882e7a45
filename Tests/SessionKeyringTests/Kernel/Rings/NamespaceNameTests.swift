import SessionKeyringTesting
import Testing

@testable import SessionKeyring

@Suite("Names of namespaces", .tags(.kernel))
struct NamespaceNameTests {
    @Test("a ring of items is named after its namespace; no other keyring has one")
    func rings() {
        for namespace in ["a", "default", "a:b", ".x", "50 %", "é"] {
            let name = NamespaceRings.itemsName(of: namespace)
            #expect(NamespaceRings.namespace(ofItemsName: name) == namespace)
        }
        for name in ["skr:", "skr", "", "skr:a:b", "skr:%41", "Skr:a", "other", NamespaceRings.leasesName] {
            #expect(NamespaceRings.namespace(ofItemsName: name) == nil, "\(name)")
        }
    }

    @Test("the name of a ring has at most 255 bytes")
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
