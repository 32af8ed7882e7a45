import Keyutils

extension SecretStoreError {
    /// Converts an error that a codec threw while encoding; keeps nothing of the value.
    static func unencodable(_ error: any Error, item: ItemIdentity) -> SecretStoreError {
        if error is RawCoding.MissingValue { return SecretStoreError(.missingValue, item: item) }
        if let error = error as? SecretStoreError, error.detail == .unsealed { return error }
        guard case EncodingError.invalidValue(_, let context)? = error as? EncodingError else {
            // The error's type is part of the program, but its contents might be the value.
            return SecretStoreError(.unencodable(at: "the top level: \(type(of: error)) was thrown"), item: item)
        }
        return SecretStoreError(.unencodable(at: describe(context.codingPath)), item: item)
    }

    /// Converts an error that a codec threw while decoding; keeps nothing of the bytes.
    static func undecodable(_ error: any Error, item: ItemIdentity) -> SecretStoreError {
        if let error = error as? SecretStoreError, error.detail == .unopened { return error }
        var path: [any CodingKey] = []
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context): path = context.codingPath
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        case .dataCorrupted(let context): path = context.codingPath
        default: break
        }
        return SecretStoreError(.undecodable(at: describe(path)), item: item)
    }

    /// Formats a coding path, such as `tokens[2].expiry`.
    ///
    /// The text shows only names from the program, which are the cases of an enumeration. A dictionary's keys are data,
    /// and might be secrets.
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
