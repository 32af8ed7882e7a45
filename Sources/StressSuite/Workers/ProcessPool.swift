import Glibc
import Threads

/// Workers in separate processes.
final class ProcessPool: WorkerPool {
    private let plan: StressPlan
    private let sharedLog: SharedLog
    private let launcher: WorkerLauncher
    /// The running processes, by number; `nil` for a process that has ended.
    private var processes: [pid_t?] = []
    private(set) var failures: [String] = []

    init(plan: StressPlan, sharedLog: SharedLog, launcher: WorkerLauncher) {
        self.plan = plan
        self.sharedLog = sharedLog
        self.launcher = launcher
    }

    deinit {
        _ = dismiss()
    }

    func start() throws(StressError) {
        for number in 0..<plan.processes { processes.append(try launcher.start(number, on: sharedLog)) }
    }

    func isRunning() -> Bool {
        for case (let number, let process?) in processes.enumerated() {
            var status: CInt = 0
            guard unsafe waitpid(process, &status, WNOHANG) == process else { continue }
            processes[number] = nil
            guard status != 0 else { continue }
            cutOff(number)
            failures.append("process \(number) \(Self.ending(status))")
        }
        return processes.contains { $0 != nil }
    }

    func killOne(_ choices: inout Choices) throws(StressError) -> Bool {
        let number = choices.below(processes.count)
        // A process that has ended by itself is not started again.
        guard let process = processes[number], !logs(of: number).allSatisfy(\.isFinished) else { return false }
        end(number, process)
        for log in logs(of: number) { log.incarnation += 1 }
        processes[number] = try launcher.start(number, on: sharedLog)
        return true
    }

    func dismiss() -> Int {
        var late = 0
        for case (let number, let process?) in processes.enumerated() {
            end(number, process)
            late += 1
        }
        return late
    }

    private func end(_ number: Int, _ process: pid_t) {
        kill(process, SIGKILL)
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        processes[number] = nil
        cutOff(number)
    }

    private func logs(of process: Int) -> [CallLog] {
        (0..<plan.workersPerProcess).map { sharedLog.log(process * plan.workersPerProcess + $0) }
    }

    /// Ends the calls during which the process was killed: they return now, when it is certainly dead.
    private func cutOff(_ process: Int) {
        let now = MonotonicTime.now
        for log in logs(of: process) {
            for index in max(0, log.count - 8)..<log.count where log[index].returned == 0 {
                var record = log[index]
                record.outcome = .none
                record.error = nil
                record.returned = now
                log.change(index, record)
            }
        }
    }

    private static func ending(_ status: CInt) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "ended with exit code \(status >> 8)" : "was ended by signal \(signal)"
    }
}
