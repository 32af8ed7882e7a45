package import Keyutils

/// The permissions of one attempt of an operation.
///
/// An operation of the store is a value with a function that makes one attempt. No attempt waits: if something blocks
/// it, it ends, and ``Wait`` decides when to make the next one. The operation's value keeps the results of earlier
/// attempts, so that no attempt repeats a step that others can see.
package struct Effort: Sendable {
    /// Whether to use last resorts if the quota is full.
    ///
    /// The last resorts are: removing expired items and empty keyrings, changing an item without its lease, and
    /// fetching a value that is then not stored. The store allows them only after it has waited for the kernel to free
    /// quota.
    package let mayUseLastResorts: Bool
    /// Whether no attempt of the operation has been blocked, so that a lease that it needs is probably free.
    package let isFirst: Bool

    package init(mayUseLastResorts: Bool = true, isFirst: Bool = true) {
        self.mayUseLastResorts = mayUseLastResorts
        self.isFirst = isFirst
    }
}

/// The result of one attempt.
package enum Outcome<Output> {
    case done(Output)
    /// Another attempt can succeed: the error says what blocks this one. The step is the one that others already see.
    case blocked(SecretStoreError, after: VisibleStep? = nil)

    /// The step that others already see, if the attempt is blocked.
    package var step: VisibleStep? {
        if case .blocked(_, let step) = self { step } else { nil }
    }

    /// Returns the output of an attempt that can't be followed by another one.
    ///
    /// - Throws: the error that says what blocks the attempt.
    package func get() throws(SecretStoreError) -> Output {
        switch self {
        case .done(let output): return output
        case .blocked(let error, _): throw error
        }
    }

    /// Makes an attempt; an error that others or a full quota cause becomes the result.
    @inline(__always)
    package static func of(
        after step: @autoclosure () -> VisibleStep? = nil, _ attempt: () throws(SecretStoreError) -> Output
    ) throws(SecretStoreError) -> Outcome {
        do throws(SecretStoreError) {
            return .done(try attempt())
        } catch {
            guard error.isBlockage else { throw error }
            return .blocked(error, after: step())
        }
    }
}

/// A step of a blocked operation that others can already see.
///
/// The operation can't be cancelled any more: its next attempts complete it.
package enum VisibleStep: Sendable {
    /// The operation stored this key, though perhaps too late, after an update had read the item or after a `clear`.
    case placed(Key)
    /// The operation deleted the item, though perhaps too late; false if there wasn't one.
    case removed(Bool)
}

/// The result of a part of an attempt, inside a backend.
package enum Step<Output: ~Copyable>: ~Copyable {
    case done(Output)
    case blocked(Blockage)
}

extension Step: Copyable where Output: Copyable {}
