import Testing

/// Runs tests whose tasks wait for each other on threads of their own.
///
/// There are as many threads for tasks of one priority as cores, and most tests keep theirs: a task that has slept waits
/// behind all of them, on two cores for minutes.
struct AheadOfOthers: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await Task(priority: .userInitiated, operation: function).value
        }
    }
}

extension Trait where Self == AheadOfOthers {
    static var aheadOfOthers: Self { Self() }
}
