import Keyutils

/// A value that was read, and what is known about it.
package struct Found<Value> {
    package let value: Value
    /// `nil` if the value isn't a stored one.
    package let known: KnownValue?

    package init(_ value: Value, _ known: KnownValue?) {
        (self.value, self.known) = (value, known)
    }
}
