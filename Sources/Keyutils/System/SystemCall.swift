import Glibc

/// Calls the kernel: the one place that checks `errno`, throws it as an error, and retries after a signal.
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

/// Calls the kernel with a key's type and name.
///
/// The name's length is read outside of the closures, because a closure that captures a string retains it. Threads
/// that look for the same item would contend for the string's reference count. The name of a type is so short that it
/// has no reference count.
@inline(__always)
func systemCall<Result: SignedInteger & FixedWidthInteger>(
    _ operation: KeyringError.Operation,
    _ type: KeyType,
    _ description: String,
    _ call: (_ type: UnsafePointer<CChar>, _ description: UnsafePointer<CChar>) -> Result
) throws(KeyringError) -> Result {
    let (typeSize, size) = (type.rawValue.utf8.count, description.utf8.count)
    var areWhole = true
    let result = try systemCall(operation) {
        unsafe description.withCString { description in
            unsafe type.rawValue.withCString { type in
                areWhole = unsafe strlen(type) == typeSize && strlen(description) == size
                return areWhole ? unsafe call(type, description) : 0
            }
        }
    }
    guard areWhole else { throw KeyringError(.invalidArgument, in: operation) }
    return result
}

/// Passes a name to C, refusing a name with a NUL, which C would silently cut short.
@inline(__always)
func withKernelName<Result>(
    _ name: String,
    in operation: KeyringError.Operation,
    _ body: (UnsafePointer<CChar>) throws(KeyringError) -> Result
) throws(KeyringError) -> Result {
    let size = name.utf8.count
    // The standard library's `withCString` does not support typed throws.
    let outcome = unsafe name.withCString { text in
        Swift.Result { () throws(KeyringError) in
            guard unsafe strlen(text) == size else { throw KeyringError(.invalidArgument, in: operation) }
            return try unsafe body(text)
        }
    }
    return try outcome.get()
}
