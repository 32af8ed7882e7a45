import CTestPause
import Glibc
import StressSuite

/// One interleaving, played in this process and two of its children.
struct Scene {
    /// The result of a scene, as the exit code of its process.
    struct Ending: OptionSet {
        let rawValue: Int32

        /// A problem was found and printed.
        static let found = Ending(rawValue: 1)
        /// The first process ended before its stop, so this series has no further interleavings.
        static let over = Ending(rawValue: 2)
        /// The second process ended before its stop.
        static let secondOver = Ending(rawValue: 4)
    }

    private let interleaving: Interleaving
    private let content: any Play
    private var processes: [test_process]
    private var problems: [String] = []
    /// Whether the second operation waited for the first one, as far as this process could see.
    private var hasWaited = false
    private var hasThirdWaited = false
    private var operation: CInt?
    private var killedAt: UInt64?

    private var stop: Stop { interleaving.series.stop }

    /// - Throws: the error that kept the state from being created.
    init(_ interleaving: Interleaving) throws {
        self.interleaving = interleaving
        content = try interleaving.series.play()
        processes = Array(repeating: test_process(), count: content.count)
    }

    /// Plays the scene, and prints the problems.
    mutating func play() throws -> Ending {
        defer { for index in processes.indices { test_process_kill(&processes[index]) } }
        try start(0, stopBefore: interleaving.firstStop)
        let isStopped = run(10_000) && processes[0].stopped != 0
        operation = processes[0].operation
        if isStopped { pass() }
        let isSecondStopped = try playSecond()
        if content.count > 2 { try playThird() }
        endBoth()
        try examine()
        if !problems.isEmpty { tell() }
        var ending: Ending = problems.isEmpty ? [] : .found
        if !isStopped { ending.insert(.over) }
        if stop.stopsBoth && !isSecondStopped { ending.insert(.secondOver) }
        return ending
    }

    private mutating func start(_ index: Int, stopBefore: Int) throws {
        let id = withUnsafeMutablePointer(to: &processes[index]) { [content] process in
            let id = test_process_fork(process, CInt(stopBefore))
            if id == 0 {
                content.run(index) { test_process_begin(process) }
                _exit(0)
            }
            return id
        }
        guard id > 0 else { throw SceneError("a process could not be started") }
    }

    /// Lets both processes run, and returns false if one of them is still running after this time.
    private mutating func run(_ milliseconds: Int) -> Bool {
        test_processes_run(&processes, CInt(processes.count), CInt(milliseconds))
    }

    /// Does what the kind of stop requires while the first process is stopped.
    private mutating func pass() {
        switch stop {
        case .plain, .double: break
        case .kill:
            test_process_kill(&processes[0])
            killedAt = MonotonicTime.now
        case .outlasting: usleep(content.outlasting)
        case .expiry, .doubleExpiry: Stage.awaitEndOfSecond()
        }
    }

    /// Runs the second operation to its end or its stop, and returns whether it has stopped.
    private mutating func playSecond() throws -> Bool {
        try start(1, stopBefore: interleaving.secondStop)
        for _ in 0..<20 where !run(5) {
            if content.isSecondHolding { return false }
        }
        // A second process that is stopped does the rest of its work while the first one works, so it
        // counts as waiting.
        hasWaited = stop.stopsBoth || processes[1].listener >= 0
        return processes[1].stopped != 0
    }

    /// Runs the third operation to its end, unless it waits for the others.
    private mutating func playThird() throws {
        try start(2, stopBefore: 0)
        for _ in 0..<20 where !run(5) {}
        hasThirdWaited = processes[2].listener >= 0
    }

    /// Lets the first process continue to its end, and then the second one; if one waits for the other, both run.
    private mutating func endBoth() {
        test_process_resume(&processes[0], 0)
        _ = run(100)
        problems += content.endHolding(isFirstKilled: killedAt != nil)
        test_process_resume(&processes[1], 0)
        if !run(20_000) { problems.append("no answer after 20 s") }
    }

    private mutating func examine() throws {
        for (index, process) in processes.enumerated() where process.status != 0 && (index > 0 || killedAt == nil) {
            problems.append("\(["first", "second", "third"][index]) process ended with status \(process.status)")
        }
        problems += try content.problems(
            of: Meeting(killedAt: killedAt, hasSecondWaited: hasWaited, hasThirdWaited: hasThirdWaited))
    }

    private func tell() {
        let place = "before \(KeyringCall.name(operation ?? 0))"
        var lines = ["FOUND \(interleaving.name): the first process was stopped \(place)"]
        lines += problems.flatMap { $0.split(separator: "\n") }.map { "    \($0)" }
        Output.write(lines.joined(separator: "\n") + "\n")
    }
}
