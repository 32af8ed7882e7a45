import CommandSupport
import Glibc
import StressSuite
import SystemPackage

/// Shows the progress of a run on standard error: a line every second on a terminal, elsewhere every ten seconds.
final class ProgressDisplay {
    private let interval = isatty(STDERR_FILENO) == 1 ? 1.0 : 10.0
    private var shown = 0.0

    func show(_ progress: StressProgress) {
        guard progress.seconds - shown >= interval else { return }
        shown = progress.seconds
        let kills = progress.kills == 0 ? "" : ", \(Figures.plural(progress.kills, "kill"))"
        say(
            "\(Figures.duration(progress.seconds)): \(Figures.plural(progress.operations, "call")), "
                + Figures.plural(progress.errors, "error") + kills)
    }

    /// Writes a line to standard error and ignores failures: if standard error is closed, the result is still written.
    func say(_ text: String) {
        try? unsafe FileDescriptor.standardError.writeAll("\(text)\n".utf8Span.span.bytes)
    }
}
