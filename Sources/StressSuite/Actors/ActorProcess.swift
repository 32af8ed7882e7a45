/// A process that runs actors for another one.
package enum ActorProcess {
    /// Runs the actors that the arguments name; the exit code of the process.
    package static func run(_ arguments: [String]) -> Int32 {
        70
    }
}
