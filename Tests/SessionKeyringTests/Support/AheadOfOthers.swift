import Testing

/// Runs tests whose tasks wait for each other at a higher priority than other tests.
///
/// There are as many threads for tasks of one priority as cores, and most tests block theirs. A task of the usual
/// priority that has slept would wait for all of them, which takes minutes on two cores.
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
