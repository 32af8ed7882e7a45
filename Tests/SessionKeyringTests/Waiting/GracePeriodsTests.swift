import Foundation
import TestSupport
import Testing

@testable import SessionKeyring

@Suite("Waiting for the kernel's grace periods", .tags(.threads))
struct GracePeriodsTests {
    @Test("concurrent waiting tasks and a later one are all resumed")
    func tasks() async throws {
        try await concurrently(20) { _ in await GracePeriods.passInTask() }
        await GracePeriods.passInTask()
    }

    @Test("a waiting task is resumed even if its process can't start a thread")
    func noThread() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_272)
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(CInt(__RLIMIT_NPROC.rawValue), &limit) == 0 else { exit(3) }
            await GracePeriods.passInTask()
            exit(0)
        }
    }
}
