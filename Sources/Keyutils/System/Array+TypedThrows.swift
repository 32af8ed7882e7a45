extension Array {
    /// Creates an array as `init(unsafeUninitializedCapacity:initializingWith:)` does, but with typed throws.
    init<Failure: Error>(
        typedUnsafeUninitializedCapacity capacity: Int,
        initializingWith initializer: (UnsafeMutableBufferPointer<Element>) throws(Failure) -> Int
    ) throws(Failure) {
        var failure: Failure?
        unsafe self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
            do throws(Failure) {
                count = try unsafe initializer(buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
