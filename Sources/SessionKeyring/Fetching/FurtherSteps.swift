/// The further steps of an operation, after a step that others can see.
extension Wait {
    struct FurtherStep {
        let attempt: (Effort) throws(SecretStoreError) -> Outcome<Void>

        init(_ attempt: @escaping (Effort) throws(SecretStoreError) -> Outcome<Void>) {
            self.attempt = attempt
        }

        static func deleting(_ item: ItemIdentity, in backend: any SecretBackend) -> FurtherStep {
            var operation = DeleteOperation(item, in: backend)
            return FurtherStep { effort throws(SecretStoreError) in
                switch try operation.attempt(effort) {
                case .done: .done(())
                case .blocked(let error, let step): .blocked(error, after: step)
                }
            }
        }
    }

    /// Runs the steps in order, sleeping whenever one of them is blocked.
    static func run(_ steps: [FurtherStep]) throws(SecretStoreError) {
        for step in steps {
            var wait = Wait()
            try wait.run(step.attempt)
        }
    }

    /// Runs the steps in order, suspending the task whenever one is blocked; a cancelled task runs them too.
    nonisolated(nonsending) static func runInTask(_ steps: [FurtherStep]) async throws {
        for step in steps {
            var wait = Wait()
            try await wait.runInTask(isCancellable: false, step.attempt)
        }
    }
}
