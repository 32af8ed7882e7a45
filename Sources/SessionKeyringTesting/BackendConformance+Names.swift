import Keyutils
import SessionKeyring

extension BackendConformance {
    /// Names that confuse code which splits, trims, truncates or normalises names.
    static let hostileNames = [
        "a:b", "a%3Ab", "%", "%%", ";", "a;b;c", " ", " leading", "trailing ", "tab\there", "new\nline", "\0",
        "nul\0inside",
        ".", ".hidden", "..", "/", "a/b", "skr:default", "skr-leases", "#", "é", "e\u{301}", "\u{301}e", "\u{FEFF}bom",
        "\u{202E}rtl",
        "日本語", "👩‍👩‍👧", "\u{7F}", "\u{A0}", "password:x:", "'quote\"", "-", "--help", String(repeating: "long", count: 300),
    ]

    static let names = [
        Check("items with hostile names stay distinct, and the names come back unchanged") { store in
            var expected: [ItemIdentity: String] = [:]
            for (position, name) in hostileNames.enumerated() {
                for item in [
                    ItemIdentity.password(service: name), .password(service: name, account: name),
                    .password(service: "s", account: name), .internet(server: name, account: name), .key(tag: name),
                ] { expected[item] = "\(position) \(item.kind)" }
            }
            for (item, value) in expected { try store.set(value, for: item) }
            try expect(try Set(store.identities()) == Set(expected.keys), "each item is listed once")
            for (item, value) in expected { try expect(try store.get(item) == value, "\(item) has its own value") }
        },
        Check("every operation refuses invalid names") { store in
            let empty = ItemIdentity.password(service: "", account: "a")
            let long = ItemIdentity.password(service: String(repeating: "x", count: 5_000))
            for item in [empty, long] {
                try expect(.invalidName, "set") { try store.set("x", for: item) }
                try expect(.invalidName, "add") { try store.add("x", for: item) }
                try expect(.invalidName, "get") { _ = try store.get(item) as String? }
                try expect(.invalidName, "contains") { _ = try store.contains(item) }
                try expect(.invalidName, "delete") { try store.delete(item) }
                try expect(.invalidName, "expire") { try store.expire(item, timeout: .seconds(1)) }
            }
            try expect(try store.identities().isEmpty, "nothing was stored")
        },
        Check("the longest name works") { store in
            let item = ItemIdentity.password(service: String(repeating: "x", count: 4_095 - 10))
            try store.set("deep", for: item)
            try expect(try store.get(item) == "deep", "get returns the value")
            try expect(try store.identities() == [item], "the item is listed")
            try expect(.duplicate, "a second add") { try store.add("x", for: item) }
        },
    ]
}
