import Glibc

/// Calls the kernel: the one place that looks at `errno`, turns it into an error, and goes on after a signal.
@discardableResult
@inline(__always)
func systemCall<Result: SignedInteger & FixedWidthInteger>(
    _ operation: KeyringError.Operation,
    _ call: () -> Result
) throws(KeyringError) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw KeyringError(errno: code, in: operation) }
    }
}

/// Passes a name to C, refusing one with a NUL in it, which C would cut short without a word.
@inline(__always)
func withKernelName<Result>(
    _ name: String,
    in operation: KeyringError.Operation,
    _ body: (UnsafePointer<CChar>) throws(KeyringError) -> Result
) throws(KeyringError) -> Result {
    // The standard library's `withCString` does not carry typed throws.
    let outcome = unsafe name.withCString { text in
        Swift.Result { () throws(KeyringError) in
            guard unsafe strlen(text) == name.utf8.count else { throw KeyringError(.invalidArgument, in: operation) }
            return try unsafe body(text)
        }
    }
    return try outcome.get()
}
