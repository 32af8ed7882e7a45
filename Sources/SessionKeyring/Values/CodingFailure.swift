import Keyutils

extension SecretStoreError {
    /// What a codec threw while encoding, with nothing of the value in it.
    static func unencodable(_ error: any Error, item: ItemIdentity) -> SecretStoreError {
        if error is RawCoding.MissingValue { return SecretStoreError(.missingValue, item: item) }
        guard case EncodingError.invalidValue(_, let context)? = error as? EncodingError else {
            // Its type is part of the program; what it holds may be the value.
            return SecretStoreError(.unencodable(at: "the top level: \(type(of: error)) was thrown"), item: item)
        }
        return SecretStoreError(.unencodable(at: describe(context.codingPath)), item: item)
    }

    /// What a codec threw while decoding, with nothing of the bytes in it.
    static func undecodable(_ error: any Error, item: ItemIdentity) -> SecretStoreError {
        var path: [any CodingKey] = []
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context): path = context.codingPath
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        case .dataCorrupted(let context): path = context.codingPath
        default: break
        }
        return SecretStoreError(.undecodable(at: describe(path)), item: item)
    }

    /// A coding path as `tokens[2].expiry`.
    ///
    /// Only names that stand in the program are shown, the cases of an enumeration: a dictionary's keys are data, and may be
    /// secrets.
    private static func describe(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else if Mirror(reflecting: key).displayStyle == .enum {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            } else {
                text += "[*]"
            }
        }
        return text.isEmpty ? "the top level" : text
    }
}
