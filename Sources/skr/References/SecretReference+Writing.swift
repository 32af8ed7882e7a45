import SessionKeyring

extension SecretReference: CustomStringConvertible {
    init(to item: ItemIdentity) {
        self.init(service: item.service, account: item.account.isEmpty ? nil : item.account)
    }

    package var description: String {
        Self.scheme + Self.encode(service) + (account.map { "/\(Self.encode($0))" } ?? "")
            + (field.map { "?field=\(Self.encode($0))" } ?? "")
    }

    private static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += PercentCoding.escape(byte)
            }
        }
        return encoded
    }
}
