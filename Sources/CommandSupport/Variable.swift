import Glibc

/// Variables of our environment.
package enum Variable {
    /// Returns whether a variable is set and not empty.
    package static func isSet(_ name: String) -> Bool {
        unsafe getenv(name).map { unsafe $0.pointee != 0 } ?? false
    }

    /// Returns a variable's value, or `nil` if it is unset or empty.
    package static func value(_ name: String) throws(CommandError) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        guard let text = unsafe String(validatingCString: value) else {
            throw .usage("\(name) is not valid UTF-8", hint: "use only UTF-8 text")
        }
        return text
    }
}
