/// The progress of a run.
package struct StressProgress: Sendable, Equatable {
    /// How long the workers have run, in seconds.
    package var seconds: Double
    /// Calls that have begun.
    package var operations: Int
    /// Calls that threw.
    package var errors: Int
    /// How many processes have been killed.
    package var kills: Int
}
