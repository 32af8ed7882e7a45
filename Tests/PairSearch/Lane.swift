import CTestPause
import Glibc
import Keyutils

/// A process that plays one series after the other, each interleaving in a separate process.
struct Lane {
    let number: Int
    let series: [any Series]
    let counts: Counts
    private var users: SpareUsers

    init(number: Int, series: [any Series], counts: Counts) {
        self.number = number
        self.series = series
        self.counts = counts
        users = SpareUsers(lane: number)
    }

    /// Plays the series that no lane has begun, and then helps the other lanes with theirs.
    mutating func run() {
        while let index = counts.takeSeries() { play(index) }
        for index in series.indices { play(index) }
        note(problems: users.settle())
    }

    private mutating func play(_ index: Int) {
        while let stop = counts.takeStop(of: index) {
            let isThere = series[index].stop.stopsBoth ? playBoth(index, stop) : play(index, stop, 0).isEmpty
            if !isThere { counts.end(index) }
        }
    }

    /// Stops the second process before each of its calls, and returns false if the first one makes no such call.
    private mutating func playBoth(_ index: Int, _ firstStop: Int) -> Bool {
        for secondStop in 1...500 where !series[index].isSampled || (7 * firstStop + secondStop) % 5 == 0 {
            let ending = play(index, firstStop, secondStop)
            if ending.contains(.over) { return false }
            if ending.contains(.secondOver) { return true }
        }
        return true
    }

    /// Plays an interleaving, and returns whether it is the last one of the series.
    private mutating func play(_ index: Int, _ firstStop: Int, _ secondStop: Int) -> Scene.Ending {
        let ending = play(Interleaving(series: series[index], firstStop: firstStop, secondStop: secondStop))
        counts.addInterleaving(of: index)
        if ending.contains(.found) { counts.addFinding() }
        return ending.subtracting(.found)
    }

    private mutating func play(_ interleaving: Interleaving) -> Scene.Ending {
        let (user, problem) = users.next(for: interleaving)
        note(problems: problem.map { [$0] } ?? [])
        let scene = test_pause_fork()
        if scene == 0 { _exit(Self.playScene(interleaving, as: user)) }
        var status: CInt = 0
        while waitpid(scene, &status, 0) < 0, errno == EINTR {}
        if status & 0x7F == 0, status >> 8 < 8 { return Scene.Ending(rawValue: status >> 8) }
        note(problems: ["\(interleaving.name): the scene ended with status \(status)"])
        return [.over, .secondOver]
    }

    private static func playScene(_ interleaving: Interleaving, as user: uid_t?) -> CInt {
        if let user {
            guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0 else { return 71 }
        }
        do {
            var scene = try Scene(interleaving)
            return try scene.play().rawValue
        } catch {
            Output.write("FOUND \(interleaving.name): the scene can't run: \(error)\n")
            return 70
        }
    }

    private func note(problems: [String]) {
        for problem in problems {
            counts.addFinding()
            Output.write("FOUND \(problem)\n")
        }
    }
}
