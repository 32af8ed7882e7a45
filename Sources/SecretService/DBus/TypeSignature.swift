/// A valid signature of D-Bus: a sequence of complete types.
///
/// Arrays and structures are nested at most 32 deep each, and the signature has at most 255 bytes.
struct TypeSignature: Equatable {
    let bytes: [UInt8]

    /// Returns `nil` if the text is not a valid signature.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= 255 else { return nil }
        self.bytes = Array(bytes)
        var rest = self.bytes[...]
        while !rest.isEmpty {
            guard Self.dropType(from: &rest) else { return nil }
        }
    }

    /// Whether it is exactly one type, as a variant needs.
    var isOneType: Bool {
        var rest = bytes[...]
        return Self.dropType(from: &rest) && rest.isEmpty
    }

    /// The types, one by one.
    var types: [String] {
        var (types, rest): ([String], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            let start = rest
            guard Self.dropType(from: &rest) else { break }
            types.append(String(decoding: start[..<rest.startIndex], as: UTF8.self))
        }
        return types
    }

    /// Removes the first complete type; returns false if there isn't one.
    ///
    /// - Parameter arrays: the number of arrays around this type; likewise for structures.
    @discardableResult
    static func dropType(from rest: inout ArraySlice<UInt8>, arrays: Int = 0, structures: Int = 0) -> Bool {
        guard arrays <= 32, structures <= 32, let code = rest.popFirst() else { return false }
        switch code {
        case UInt8(ascii: "a"):
            guard rest.first == UInt8(ascii: "{") else {
                return dropType(from: &rest, arrays: arrays + 1, structures: structures)
            }
            rest.removeFirst()
            guard let key = rest.first, alignment(of: key) != nil, isBasic(key),
                dropType(from: &rest, arrays: arrays + 1, structures: structures + 1),
                dropType(from: &rest, arrays: arrays + 1, structures: structures + 1)
            else { return false }
            return rest.popFirst() == UInt8(ascii: "}")
        case UInt8(ascii: "("):
            guard rest.first != UInt8(ascii: ")") else { return false }
            while let next = rest.first, next != UInt8(ascii: ")") {
                guard dropType(from: &rest, arrays: arrays, structures: structures + 1) else { return false }
            }
            return rest.popFirst() != nil && structures < 32
        case UInt8(ascii: "{"): return false
        default: return alignment(of: code) != nil
        }
    }

    private static func isBasic(_ code: UInt8) -> Bool { !"av({".utf8.contains(code) }

    /// The alignment of a type with this code; `nil` for an unknown code.
    static func alignment(of code: UInt8) -> Int? {
        switch code {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): 4
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "a"): 4
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: nil
        }
    }

    /// The number of bytes of a number, which is also its alignment; `nil` for all other types.
    static func size(of code: UInt8) -> Int? { "ynqiuhxtd".utf8.contains(code) ? alignment(of: code) : nil }
}
