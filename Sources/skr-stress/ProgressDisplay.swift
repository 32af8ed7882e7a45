import CommandSupport
import Glibc
import StressSuite
import SystemPackage

/// Shows the progress of a run on standard error.
///
/// On a terminal, it is a live line. Elsewhere, it is a new line every two seconds and for each new phase.
final class ProgressDisplay {
    private static let quiet = Duration.seconds(2)

    private let isLive: Bool
    private let style: TextStyle
    private var isLineOpen = false
    private var hasToldOfInterruption = false
    private var lastLine = ContinuousClock.now
    private var lastPhase = StressProgress.Phase.running

    init() {
        isLive = isatty(STDERR_FILENO) == 1 && !TextStyle.isDumbTerminal
        style = .wanted(on: STDERR_FILENO)
    }

    func show(_ progress: StressProgress) {
        tellOfInterruption()
        if isLive {
            let width = TerminalWidth.of(STDERR_FILENO) ?? 80
            let line = ProgressLine(progress: progress, style: style, bar: .wanted)
            // A full line would make some terminals begin the next line.
            put("\r\(line.text(width: width - 1))\u{1B}[K")
            isLineOpen = true
        } else if isDue(progress) {
            put(ProgressLine(progress: progress, style: .plain, bar: .ascii).plainText + "\n")
        }
    }

    /// Shows a text on its own line.
    func say(_ text: String) {
        put((isLineOpen ? "\r\u{1B}[K" : "") + text + "\n")
        isLineOpen = false
    }

    /// Removes the live line.
    func finish() {
        if isLineOpen { put("\r\u{1B}[K") }
        isLineOpen = false
    }

    private func isDue(_ progress: StressProgress) -> Bool {
        let now = ContinuousClock.now
        guard progress.phase != lastPhase || now - lastLine >= Self.quiet else { return false }
        lastLine = now
        lastPhase = progress.phase
        return true
    }

    private func tellOfInterruption() {
        guard !hasToldOfInterruption, Interruption.signal != nil else { return }
        hasToldOfInterruption = true
        say("ending the run and checking it; press Ctrl-C again to stop immediately")
    }

    /// Writes to standard error and ignores failures: if standard error is closed, the result is still written.
    private func put(_ text: String) {
        try? unsafe FileDescriptor.standardError.writeAll(text.utf8Span.span.bytes)
    }
}
