import Keyutils
import Testing

@Suite("Key types")
struct KeyTypeTests {
    @Test(
        "a type has the kernel's name",
        arguments: [
            (KeyType.user, "user"), (.keyring, "keyring"), (.logon, "logon"), (.bigKey, "big_key"),
            (.encrypted, "encrypted"), (.asymmetric, "asymmetric"), ("dns_resolver", "dns_resolver"),
        ] as [(KeyType, String)]
    )
    func name(_ type: KeyType, _ name: String) {
        #expect(type.rawValue == name)
        #expect(type.description == name)
    }
}
