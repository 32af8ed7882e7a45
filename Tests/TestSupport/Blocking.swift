/// Calls a blocking form of a store's method, which the compiler keeps out of async code.
///
/// For tests that are allowed to block their thread.
@discardableResult
package func blocking<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result {
    try body()
}
