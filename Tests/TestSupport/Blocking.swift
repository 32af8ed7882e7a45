/// Runs the blocking forms, which are not to be called from tasks, in a test whose own process may be kept.
@discardableResult
package func blocking<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result {
    try body()
}
