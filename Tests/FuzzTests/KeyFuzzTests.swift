import Keyutils
import SessionKeyring
import TestSupport
import Testing

@Suite("Fuzzing: keys as the kernel describes them", .tags(.long))
struct KeyFuzzTests {
    @Test("a key's description is split at its first four semicolons, or refused")
    func descriptions() {
        let samples = [
            "user;0;0;3f010000;password:api:alice", "keyring;-1;65534;3f3f0000;_uid_ses.0", "user;1;2;0;a;b;c",
            "big_key;0;0;ff;",
        ]
        Fuzzer(
            "descriptions", samples: samples,
            tokens: [";", "-1", "4294967295", "4294967296", "-2147483649", "3f3f0000"]
        )
        .run { input, _ in
            guard let description = try? KeyDescription(parsing: input) else { return nil }
            let parts = input.split(separator: UInt8(ascii: ";"), maxSplits: 4, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 5, let user = Int64(parts[1]), let group = Int64(parts[2]),
                let permissions = UInt32(parts[3], radix: 16)
            else { return "accepted" }
            let isSame =
                description.type.rawValue == parts[0] && description.userID == UInt32(truncatingIfNeeded: user)
                && description.groupID == UInt32(truncatingIfNeeded: group)
                && description.permissions.rawValue == permissions && description.name == parts[4]
            return isSame ? nil : "read as \(description)"
        }
    }

    @Test("an item's name is read back from its key's name, and two names never make one key")
    func items() {
        Fuzzer.forEach("item names") { random in
            let names = [Fuzzer.text(&random, of: ["a", "%3A", "password:"]), Fuzzer.text(&random, of: ["b"])]
            let items = [
                ItemIdentity.password(service: names[0], account: names[1]), .internet(server: names[0]),
                .key(tag: names[0]),
            ]
            for item in items {
                guard let again = ItemIdentity(keyDescription: item.keyDescription) else {
                    return "no item is read from the key of \(item)"
                }
                guard again == item, again.kind == item.kind, again.service.utf8.elementsEqual(item.service.utf8),
                    again.account.utf8.elementsEqual(item.account.utf8)
                else { return "\(item) is read as \(again)" }
                let isPlain = item.keyDescription.unicodeScalars.allSatisfy {
                    $0 != " " && $0.properties.generalCategory != .control
                }
                guard isPlain else { return "the key's name has spaces or control characters: \(item)" }
            }
            return nil
        }
        let samples = [
            "password:api:alice", "password:%C3%A9:", "key:%2Etag", "cached:a:b%5C%2C", "internet:host%3A443:me",
        ]
        Fuzzer("key names", samples: samples, tokens: [":", "%", "%3A", "%2E", "%C3", "password:", "key:"]).run {
            input, _ in
            guard let name = String(validating: input, as: UTF8.self), let item = ItemIdentity(keyDescription: name)
            else {
                return nil
            }
            return item.keyDescription.utf8.elementsEqual(input) ? nil : "read as \(item)"
        }
    }

    @Test("a good line of /proc/keys is read correctly, whatever text is around it")
    func keyTable() {
        let lines = [
            "0531c66f I--Q---     1 perm 0c030000     0 65534 user      password:api:alice: 12",
            "1a2b3c4d I--Q---     3  59s 3f010000  1000  1000 keyring   skr:default: 2",
            "2fffffff IR-----     1 expd 3f3f0000     0     0 big_key   x",
            "3e000001 I--Q---     1   1w 1f3f0000     0    -1 asymmetri odd; \u{301}",
        ]
        let tokens = [
            " ", "  ", "\n", "perm", "expd", "59s", "23h", "9223372036854775807w", "-5m", "+1d", "0531c66f", "s",
        ]
        Fuzzer("/proc/keys", samples: lines + [lines.joined(separator: "\n")], tokens: tokens).run { input, random in
            // Decoded in the same way as the file.
            let text = String(decoding: input, as: UTF8.self)
            let serial = KeySerial(rawValue: 0x0BAD_CAFE)
            let good = "0badcafe I--Q---     1  17m 3f010000     0     0 user      \u{301} a:b: 7"
            for (before, after) in [("", text), (text, ""), (text, text)] where !text.contains("0badcafe") {
                let table = KeyTable(parsing: "\(before)\n\(good)\n\(after)")
                guard let entry = table[serial] else { return "the good line is lost" }
                guard entry.type == "user", entry.text.utf8.elementsEqual("\u{301} a:b: 7".utf8),
                    entry.expiry == .left(KeyTimeLeft(atLeast: .seconds(1_020), precision: .seconds(60)))
                else { return "the good line is read as \(entry)" }
            }
            let table = KeyTable(parsing: text)
            for number: Int32 in [0x0531_C66F, 0x1A2B_3C4D, 0x2FFF_FFFF, 0x3E00_0001] {
                guard let entry = table[KeySerial(rawValue: number)] else { continue }
                guard String(validating: Array(entry.text.utf8), as: UTF8.self) != nil else {
                    return "not UTF-8: \(entry)"
                }
                if case .left(let left) = entry.expiry, left.atLeast < .zero || left.precision <= .zero {
                    return "\(entry)"
                }
            }
            return nil
        }
    }
}
