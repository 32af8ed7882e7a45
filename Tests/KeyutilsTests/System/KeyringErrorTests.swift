import Glibc
import Testing

@testable import Keyutils

@Suite("Errors")
struct KeyringErrorTests {
    @Test(
        "each error number maps to its code",
        arguments: [
            (ENOKEY, .notFound), (EKEYEXPIRED, .expired), (EKEYREVOKED, .revoked), (EKEYREJECTED, .rejected),
            (EACCES, .accessDenied), (EPERM, .notPermitted), (EDQUOT, .quotaExceeded), (EEXIST, .alreadyExists),
            (ENOENT, .notLinked), (EINVAL, .invalidArgument), (EMSGSIZE, .tooLarge), (E2BIG, .tooLarge),
            (EOPNOTSUPP, .unsupported), (ENODEV, .unsupported), (ENOPKG, .unsupported), (ENOSYS, .unavailable),
            (ENOTDIR, .notKeyring), (ENFILE, .keyringFull), (EDEADLK, .keyringCycle), (ELOOP, .keyringCycle),
            (EBADMSG, .malformedPayload), (ENOMEM, .outOfMemory), (EBUSY, .other), (EBADSLT, .other), (0, .other),
            (-1, .other), (9_999, .other),
        ] as [(CInt, KeyringError.Code)]
    )
    func code(_ number: CInt, _ code: KeyringError.Code) {
        let error = KeyringError(errno: number, in: .read)
        #expect(error.code == code)
        #expect(error.errno == number)
        #expect(error.operation == .read)
    }

    @Test("two errors are equal if their codes and numbers are equal, whichever call failed")
    func equality() {
        let error = KeyringError(errno: ENOKEY, in: .read)
        #expect(error == KeyringError(errno: ENOKEY, in: .search))
        #expect(Set([error, KeyringError(errno: ENOKEY, in: .search)]).count == 1)
        #expect(error != KeyringError(.notFound, in: .read))
        #expect(error != KeyringError(errno: EACCES, in: .read))
        var restricted = error
        restricted.restrictedKeyring = KeySerial(rawValue: 1)
        let different = [
            error, restricted, KeyringError(.notFound, in: .read), KeyringError(.expired, in: .read),
            KeyringError(errno: EBUSY, in: .read), KeyringError(errno: EBADSLT, in: .read),
        ]
        #expect(Set(different).count == different.count)
        #expect(Set(different.map(\.hashValue)).count == different.count)
    }

    @Test("every code has an error number that maps to it")
    func reachable() {
        let codes = Set((0...200).map { KeyringError(errno: $0, in: .add).code })
        #expect(codes == Set(KeyringError.Code.allCases))
    }

    @Test(
        "a description is one line that names the call and the cause",
        arguments: KeyringError.Code.allCases
    )
    func description(_ code: KeyringError.Code) {
        let own = KeyringError(code, in: .setTimeout).description
        #expect(own.hasPrefix("keyctl_set_timeout: "))
        #expect(own.count > "keyctl_set_timeout: ".count)
        #expect(!own.contains { $0.isNewline })
        #expect(!own.contains("errno"))
    }

    @Test("the description of a kernel error ends with the error number")
    func kernelDescription() {
        let error = KeyringError(errno: EKEYEXPIRED, in: .read)
        #expect(error.description == "keyctl_read: the key has expired (errno \(EKEYEXPIRED))")
    }

    @Test("no two codes have the same text")
    func distinct() {
        let texts = Set(KeyringError.Code.allCases.map { KeyringError($0, in: .add).description })
        #expect(texts.count == KeyringError.Code.allCases.count)
    }

    @Test("the error of a failed write contains neither the payload nor the name")
    func noPayload() {
        let ring = Keyring(KeySerial(rawValue: 1))
        let error = #expect(throws: KeyringError.self) {
            try ring.add("a-telling-name", Array("a-telling-payload".utf8))
        }
        let everything = String(reflecting: error) + "\(error as Any)"
        #expect(error?.operation == .add)
        #expect(!everything.contains("telling"))
    }
}
