import CommandSupport

/// The form in which a caller gets a command's output, and what else differs from `skr cached`.
///
/// Only classes can conform, because the optional of a structure would build metadata at each start.
protocol OutputForm: AnyObject, Sendable {
    /// Whether warnings are printed.
    var warns: Bool { get }
    /// Whether a stored output counts only for the same command line.
    var isOfOneCommand: Bool { get }
    /// How long to wait for the process that runs the command.
    var waitLimit: Duration { get }
    /// The surroundings of the command.
    var settings: ChildSettings { get }

    /// Called before each pause of the wait for another process.
    func noteWait()

    /// Returns the answer from the new output of the command, and how long it is kept.
    ///
    /// A time of zero or less means that the answer is not kept. `nil` means that nothing ends it.
    ///
    /// - Parameter timeout: how long an output without an expiry is kept.
    func answer(
        fresh printed: CachedAnswer, keptFor timeout: Duration?
    ) throws(CommandError) -> (CachedAnswer, Duration?)

    /// Returns the answer from the kept output; `nil` if the output has to be fetched again.
    ///
    /// Any process in the session can have stored that output.
    ///
    /// - Parameter end: returns when the kept item ends; called only if the output has no expiry.
    func answer(kept: CachedAnswer, endingAt end: () -> Int64?) -> CachedAnswer?
}
