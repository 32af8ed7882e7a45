import Threads

@testable import SecretService

/// Messages of a hostile client: calls of every method with odd arguments, and changes of their bytes.
struct HostileMessages {
    /// A text that only secrets contain.
    static let secret = "s3cr3t-of-the-fuzzer"

    /// The methods of all interfaces, and one that the service doesn't have.
    private static let methods: [(interface: String, member: String, signature: String)] = {
        let interfaces: [Interface] = [.service, .collection, .item, .session, .status, .bus] + Interface.common
        return interfaces.flatMap { interface in
            interface.methods.sorted { $0.key < $1.key }.map { (interface.name, $0.key.text, $0.value.arguments) }
        } + [("org.freedesktop.Secret.Prompt", "Prompt", "s")]
    }()
    private static let root = "/org/freedesktop/secrets"
    private static let texts = [
        "", "a", "b", "service", "username", "server", "user", "protocol", "application", "xdg:schema", "target",
        "default", "https", "example.com", "login", "session", "é", "e\u{301}", "\u{202E}", "\u{10FFFF}", "_", "%",
        ":", ".", "a b", "\n", "type='signal'", "type='signal',member='ItemCreated'", "arg0namespace='a'",
        "arg999999999999='x'",
        "path_namespace='/'", "x='", "org.freedesktop.Secret.Item", "org.freedesktop.Secret.Collection", "Label",
        "Attributes", "Locked", "Items", "Collections", "org.freedesktop.secrets", "org.freedesktop.DBus", ":1.0",
        ":1.1",
        "plain", "dh-ietf1024-sha256-aes128-cbc-pkcs7", "org.freedesktop.Secret.Item.Label",
        "org.freedesktop.Secret.Item.Attributes", "org.freedesktop.Secret.Collection.Label",
        String(repeating: "x", count: 300), String(repeating: "é", count: 2_100), String(repeating: "%", count: 5_000),
    ]
    private static let paths = [
        "/", root, "\(root)/collection/login", "\(root)/collection/session", "\(root)/aliases/default",
        "\(root)/collection/a", "\(root)/collection/_c3_a9", "\(root)/collection/login/secret_3aa_3ab",
        "\(root)/collection/login/password_3aa_3ab", "\(root)/collection/login/label_3asecret",
        "\(root)/collection/login/secret_3a_2e", "\(root)/aliases/default/secret_3aa_3ab", "\(root)/aliases/x",
        "\(root)/collection/login/a/b", "\(root)/collection/_", "\(root)/collection/login/_zz", "\(root)/prompt/1",
        "/org/freedesktop/DBus", "\(root)/session/1", "\(root)/collection/lease_3ax",
        "/" + String(repeating: "a/", count: 500) + "a",
    ]
    private static let words: [UInt32] = [
        0, 1, 2, 7, 8, 16, 255, 256, 4_096, 65_536, 1 << 21, 1 << 26, (1 << 26) + 1, 1 << 27, 0x7FFF_FFFF, 0x8000_0000,
        0xFFFF_FFF8, 0xFFFF_FFFF,
    ]

    /// The session of the hostile client.
    var session: String
    private(set) var random: Choices
    /// Whether the latest message had only secrets where secrets belong.
    private(set) var isInOrder = true

    init(session: String, random: Choices) {
        (self.session, self.random) = (session, random)
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }
    private mutating func pick<Element>(_ all: [Element]) -> Element { all[random.below(all.count)] }

    private mutating func text() -> String {
        random.below(12) == 0 ? pick(Self.texts) + pick(Self.texts) : pick(Self.texts)
    }

    private mutating func path() -> String { random.below(4) == 0 ? session : pick(Self.paths) }

    /// Returns a path of an object that can have this interface, in most cases.
    private mutating func path(for interface: String) -> String {
        guard random.below(4) > 0 else { return path() }
        switch interface {
        case "org.freedesktop.Secret.Service", "org.sessionkeyring.Status": return Self.root
        case "org.freedesktop.Secret.Collection": return pick(Array(Self.paths[2...6]))
        case "org.freedesktop.Secret.Item": return pick(Array(Self.paths[7...11]))
        case "org.freedesktop.Secret.Session": return session
        case "org.freedesktop.DBus": return "/org/freedesktop/DBus"
        default: return pick(Array(Self.paths[1...11]))
        }
    }

    /// Makes a message; changes some of its bytes in three cases out of four.
    mutating func next(serial: UInt32) -> [UInt8] {
        let isBigEndian = random.below(3) == 0
        var bytes = call(serial: serial, isBigEndian: isBigEndian)
        isInOrder = random.below(4) == 0
        guard !isInOrder else { return bytes }
        let count = bytes.count
        for _ in 0...random.below(5) { change(&bytes, isBigEndian) }
        // With right lengths, the changes reach more of the service.
        if random.below(2) == 0, bytes.count >= 16 { repair(&bytes, by: bytes.count - count, isBigEndian) }
        return bytes
    }

    private mutating func call(serial: UInt32, isBigEndian: Bool) -> [UInt8] {
        let method = pick(Self.methods)
        // Agreeing on a key takes so long that few calls do.
        let isDriver = method.interface == "org.freedesktop.DBus" || random.below(30) == 0
        let signature = random.below(30) == 0 ? pick(Self.methods).signature : method.signature
        var arguments = BusWriter(isBigEndian: isBigEndian)
        let written = random.below(30) == 0 ? pick(Self.methods).signature : signature
        for type in TypeSignature(written.utf8)?.types ?? [] {
            write(type, &arguments, 0)
        }
        let interface: String? =
            random.below(10) == 0 ? nil : random.below(30) == 0 ? pick(Self.methods).interface : method.interface
        let (path, member) = (
            isDriver ? "/org/freedesktop/DBus" : path(for: method.interface),
            random.below(50) == 0 ? text() : method.member
        )
        let destinations = [
            nil, ":1.0", "org.freedesktop.DBus", "org.freedesktop.secrets", "org.gnome.keyring", text(),
        ]
        let destination =
            random.below(20) == 0 ? pick(destinations) : isDriver ? "org.freedesktop.DBus" : "org.freedesktop.secrets"
        let flags = random.below(10) == 0 ? UInt8(random.below(8)) : 0
        let body = arguments.bytes
        return BusWriter.call(
            member, interface: interface, at: path, to: destination, signature: signature, serial: serial, flags: flags,
            isBigEndian: isBigEndian
        ) { $0.append(body) }
    }

    /// Writes a value of this type.
    private mutating func write(_ type: String, _ body: inout BusWriter, _ depth: Int) {
        switch type {
        case "s": body.string(text())
        case "o": body.string(path())
        case "b": body.number(random.below(20) == 0 ? 2 : UInt32(random.below(2)))
        case "u": body.number(pick(Self.words))
        case "v": variant(&body, depth)
        case "ao":
            let paths = (0..<random.below(5)).map { _ in path() }
            body.array(alignedTo: 4) { array in for path in paths { array.string(path) } }
        case "a{ss}": body.dictionary((0..<random.below(4)).map { _ in (text(), text()) })
        case "a{sv}":
            body.array(alignedTo: 8) { properties in
                if random.below(3) > 0 {
                    properties.string("org.freedesktop.Secret.Item.Attributes")
                    properties.signature("a{ss}")
                    // Attributes of the items in `paths`.
                    properties.dictionary(pick([[("a", "b")], [("service", "a"), ("username", "b")], []]))
                }
                for _ in 0..<random.below(3) {
                    properties.align(to: 8)
                    properties.string(text())
                    if random.below(2) == 0 {
                        properties.signature("a{ss}")
                        properties.dictionary([(text(), text())])
                    } else {
                        variant(&properties, depth)
                    }
                }
            }
        case "(oayays)":
            body.align(to: 8)
            body.string(random.below(4) == 0 ? path() : session)
            body.data(Array(repeating: 7, count: random.below(8) == 0 ? 16 : 0))
            let padding = random.below(40) == 0 ? random.below(40_000) : random.below(40)
            body.data(Array((Self.secret + String(repeating: "x", count: padding)).utf8))
            body.string(text())
        default: break
        }
    }

    private mutating func variant(_ body: inout BusWriter, _ depth: Int) {
        switch random.below(12) {
        case 0 where depth < 80:
            // Nested deeply, sometimes deeper than the specification allows.
            for _ in 0..<random.below(80) { body.signature("v") }
            body.signature("y")
            body.byte(1)
        case 1:
            body.signature("ay")
            // A key of the group, in few cases because it takes long to use.
            body.data(Array(repeating: 3, count: random.below(20) == 0 ? 128 : random.below(140)))
        case 2:
            body.signature("a{ss}")
            body.dictionary([(text(), text())])
        case 3:
            body.signature(pick(["", "a", "a{", "(", "()", "a{vs}", "zz", String(repeating: "a", count: 40) + "y"]))
            body.number(pick(Self.words))
        case 4:
            body.signature("u")
            body.number(pick(Self.words))
        default:
            body.signature("s")
            body.string(text())
        }
    }

    private mutating func change(_ bytes: inout [UInt8], _ isBigEndian: Bool) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        let end = min(bytes.count, place + 1 + random.below(12))
        switch random.below(9) {
        case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes[place] = UInt8(random.below(256))
        case 3, 4:
            // A length, a number or a serial.
            let (word, start) = (pick(Self.words), place & -4)
            for offset in 0..<4 where start + offset < bytes.count {
                bytes[start + offset] = UInt8(
                    truncatingIfNeeded: word >> UInt32(8 * (isBigEndian ? 3 - offset : offset)))
            }
        case 5: bytes.removeSubrange(place..<end)
        case 6: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 7: bytes.insert(contentsOf: Array(text().utf8.prefix(600)), at: place)
        default: bytes.removeSubrange(place...)
        }
    }

    /// Adapts the length of the body to what has been inserted and removed.
    private func repair(_ bytes: inout [UInt8], by difference: Int, _ isBigEndian: Bool) {
        let places = isBigEndian ? [7, 6, 5, 4] : [4, 5, 6, 7]
        var count = places.reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
        count = max(0, count + difference)
        for (position, place) in places.enumerated() {
            bytes[place] = UInt8(truncatingIfNeeded: count >> (8 * position))
        }
    }

    /// The bytes of a client that authenticates, with changes.
    mutating func authentication() -> [UInt8] {
        let lines = [
            "AUTH", "AUTH EXTERNAL", "AUTH EXTERNAL 30", "AUTH EXTERNAL 31303030", "AUTH EXTERNAL zz", "AUTH ANONYMOUS",
            "AUTH DBUS_COOKIE_SHA1 30", "DATA", "DATA 30", "CANCEL", "ERROR", "NEGOTIATE_UNIX_FD", "BEGIN", "", "é",
            String(repeating: "A", count: 1_100),
        ]
        var text = random.below(20) == 0 ? "" : "\0"
        for _ in 0..<(random.below(20) == 0 ? 40 : random.below(8)) {
            text += pick(lines) + (random.below(20) == 0 ? "\n" : "\r\n")
        }
        if random.below(3) == 0 { text += "AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n" }
        var bytes = Array(text.utf8)
        if random.below(3) == 0 { for _ in 0...random.below(3) { change(&bytes, false) } }
        if random.below(3) == 0 { bytes += next(serial: 1) }
        return bytes
    }
}
