import Glibc
import Testing

@testable import skr

@Suite("How a child process ended")
struct ChildEndTests {
    @Test(
        "the exit code is a shell's, and skr dies too only of the signal that it received itself",
        arguments: [
            (0, 0, 0, false), (0x0700, 15, 7, false), (0xFF00, 0, 255, false), (0x8000, 0, 128, false),
            (15, 15, 143, true), (15, 2, 143, false), (9, 0, 137, false),
            // With a core dump.
            (0x80 | 6, 6, 134, true),
        ] as [(CInt, CInt, Int32, Bool)])
    func ends(status: CInt, received: CInt, exitCode: Int32, isOurs: Bool) {
        let end = ChildEnd(status: status, received: received == 0 ? [] : [received])
        #expect(end.exitCode == exitCode && end.isOurs == isOurs)
    }

    @Test("only signals that end a process interrupt a command, and one that cut the output overrides exit code 0")
    func interruptions() {
        let failed = { (received: [CInt]) in ChildEnd(status: 0x0300, received: received).isInterrupted }
        #expect(failed([SIGUSR1, SIGTERM]) && failed([SIGQUIT]) && !failed([SIGUSR1, SIGUSR2]) && !failed([]))
        let whole = ChildEnd(status: 0, received: [SIGTERM])
        #expect(whole.exitCode == 0 && !whole.isOurs && !whole.isInterrupted)
        let cut = ChildEnd(status: 0, received: [SIGUSR1, SIGINT, SIGTERM], isInterrupted: true)
        #expect(cut.exitCode == 130 && cut.isOurs && cut.isInterrupted)
    }
}
