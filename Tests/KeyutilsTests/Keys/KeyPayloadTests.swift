import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Payloads on the real kernel")
final class KeyPayloadTests: ScratchSuite {
    @Test(
        "a key is found by name, and a payload of any allowed size comes back whole",
        arguments: [1, 2, 200, 4_096, 4_097, 32_766, 32_767]
    )
    func sizes(_ count: Int) throws {
        let key = try keyring.add("sized", pattern(count))
        #expect(try keyring.search(.user, "sized") == key)
        let isLentWhole = try key.bytes() == pattern(count)
        let isReadWhole = try key.read().array() == pattern(count)
        #expect(isLentWhole)
        #expect(isReadWhole)
        #expect(try key.payloadSize() == count)
    }

    @Test("payloads of any size, read in any order, reach the closure once and complete")
    func alternatingSizes() throws {
        let sizes = [200, 4_096, 32_767, 4_097, 4_096, 4_097, 1, 32_767]
        let keys = try sizes.map { size in try keyring.add("of \(size)", pattern(size)) }
        for (key, size) in zip(keys, sizes) {
            var count = 0
            let isSame = try key.withPayload { payload in
                count += 1
                return payload.withUnsafeBytes { $0.elementsEqual(pattern(size)) }
            }
            #expect(isSame)
            #expect(count == 1)
        }
    }

    @Test("the largest payload matches the constant; one byte more is refused")
    func tooLarge() throws {
        #expect(Key.largestUserPayload == 32_767)
        expectFailure(.invalidArgument) { () throws(KeyringError) in try keyring.add("large", pattern(32_768)) }
        expectFailure(.notFound) { () throws(KeyringError) in _ = try keyring.search(.user, "large") }
    }

    @Test("an empty payload is refused, both for a new key and in place")
    func empty() throws {
        expectFailure(.invalidArgument) { () throws(KeyringError) in try keyring.add("empty", []) }
        let key = try keyring.add("full")
        expectFailure(.invalidArgument) { () throws(KeyringError) in try keyring.add("full", []) }
        expectFailure(.invalidArgument) { () throws(KeyringError) in try key.update(with: []) }
        #expect(try key.bytes() == [1, 2, 3])
    }

    @Test("adding under an existing name updates the same key, with a payload of any size")
    func addInPlace() throws {
        let key = try keyring.add("name", [1])
        #expect(try keyring.add("name", pattern(20_000)) == key)
        let isSame = try key.bytes() == pattern(20_000)
        #expect(isSame)
        #expect(try keyring.members() == [key.serial])
    }

    @Test("an update replaces the payload, and accepts at most 4,096 bytes")
    func update() throws {
        let key = try keyring.add("name", pattern(10))
        try key.update(with: pattern(4_096))
        let isSame = try key.bytes() == pattern(4_096)
        #expect(isSame)
        expectFailure(.invalidArgument) { () throws(KeyringError) in try key.update(with: pattern(4_097)) }
        #expect(try key.payloadSize() == 4_096)
        try key.update(with: [9])
        #expect(try key.bytes() == [9])
    }

    @Test("payloads keep bytes of every value, including zero")
    func everyByte() throws {
        let all = [UInt8](0...255)
        #expect(try keyring.add("bytes", all).bytes() == all)
        #expect(try keyring.add("zero", [0]).bytes() == [0])
    }

    @Test("every operation on a key that no longer exists fails with notFound")
    func absent() throws {
        let key = try keyring.add("gone")
        try keyring.unlink(key)
        #expect(try becomesTrue { () throws in (try? key.describe()) == nil })
        expectFailure(.notFound) { () throws(KeyringError) in _ = try key.read() }
        expectFailure(.notFound) { () throws(KeyringError) in _ = try key.payloadSize() }
        expectFailure(.notFound) { () throws(KeyringError) in _ = try key.describe() }
        expectFailure(.notFound) { () throws(KeyringError) in try key.update(with: [1]) }
        expectFailure(.notFound) { () throws(KeyringError) in try key.removeTimeout() }
        expectFailure(.notFound) { () throws(KeyringError) in try key.revoke() }
        expectFailure(.notFound) { () throws(KeyringError) in try key.invalidate() }
        expectFailure(.notFound) { () throws(KeyringError) in try keyring.unlink(key) }
        expectFailure(.notFound) { () throws(KeyringError) in _ = try keyring.search(.user, "gone") }
    }

    @Test("a logon key can be found and described, but not read")
    func logon() throws {
        let key = try keyring.add(.logon, "service:user", pattern(16))
        #expect(try keyring.search(.logon, "service:user") == key)
        #expect(try key.describe().type == .logon)
        expectFailure(.unsupported) { () throws(KeyringError) in _ = try key.read() }
        expectFailure(.unsupported) { () throws(KeyringError) in _ = try key.payloadSize() }
        expectFailure(.invalidArgument) { () throws(KeyringError) in try keyring.add(.logon, "no prefix", pattern(16)) }
    }

    @Test("an unknown type is unsupported when adding a key, and not found when searching")
    func unknownType() throws {
        expectFailure(.unsupported) { () throws(KeyringError) in try keyring.add("no_such_type", "x", [1]) }
        expectFailure(.notFound) { () throws(KeyringError) in _ = try keyring.search("no_such_type", "x") }
    }
}
