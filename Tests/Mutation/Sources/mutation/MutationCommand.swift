import ArgumentParser
import Foundation

/// Draws small changes of the code, makes one at a time, and shows those that no test notices.
@main
struct MutationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutation",
        abstract: "Make small changes to the code, and show which ones no test notices.",
        discussion: """
            All changes are compiled into one copy of the package, in .build/mutation. A change is active while the variable \
            MUTANTS_ACTIVE contains its number. A changed program may write anywhere, so use a machine that you can lose. The \
            exit code is 0, whatever the score is.
            """)

    @Option(help: "The seed that selects the changes.") var seed: UInt64 = .random(in: 1...999_999)
    @Option(help: "How many changes to try in each target.") var count = 200
    @Option(parsing: .upToNextOption, help: "The targets whose code to change.") var targets = MutatedTree.targets
    @Option(help: "How many test runs at the same time.") var jobs = 2
    @Flag(help: "Leave out the long tests and the pair search.") var quick = false
    @Option(help: "Try only the changes whose description contains this.") var only: String?

    func validate() throws {
        for target in targets where !MutatedTree.targets.contains(target) {
            throw ValidationError(
                "can't change the code of \(target); choose from: \(MutatedTree.targets.joined(separator: " "))")
        }
        guard count > 0, jobs > 0 else { throw ValidationError("--count and --jobs must be at least 1") }
    }

    func run() throws {
        var tree = try MutatedTree(package: URL(fileURLWithPath: ".").standardizedFileURL)
        let reasons = try reasons(in: tree.package.appendingPathComponent("Tests/Mutation/no-difference"))
        let all = try tree.mutants()
        // More than are tried, because some of the lines are run by no test, and some of the changes don't compile.
        let drawn = Draw.draw(count * 17 / 10, of: all, targets: MutatedTree.targets, seed: seed)
        say("seed \(seed): \(all.count) possible changes in \(MutatedTree.targets.joined(separator: ", "))")
        let built = try tree.build(drawn)
        let suites = try TestSuites(bundle: tree.bundle)
        let reach = try Reach(suites, bundle: tree.bundle, jobs: jobs)
        for (suite, why) in reach.broken { say("left out, because it fails without any change: \(suite.name): \(why)") }

        let chosen = choose(from: built, reached: reach.all)
        let trials = Trials(bundle: tree.bundle, suites: suites, reach: reach, mutants: chosen, jobs: jobs)
        try trials.run(withLongTests: !quick)
        for target in targets {
            printScore(of: chosen.filter { $0.value.target == target }, target, trials.noticed, reasons)
        }
    }

    private func choose(from built: [Int: Mutant], reached: Set<Int>) -> [Int: Mutant] {
        var chosen: [Int: Mutant] = [:]
        for target in targets {
            let possible = built.filter { $0.value.target == target && reached.contains($0.key) }.sorted {
                $0.key < $1.key
            }
            for (number, mutant) in possible.prefix(count) where only.map(mutant.description.contains) ?? true {
                chosen[number] = mutant
            }
        }
        return chosen
    }

    /// Returns the reasons why some mutants make no difference, by their names.
    ///
    /// The file has lines of a name and a reason, separated by ` | `; lines that begin with `#` are comments.
    private func reasons(in file: URL) throws -> [String: String] {
        var reasons: [String: String] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            guard let end = line.range(of: " | ", options: .backwards) else {
                throw Failure("no-difference has a line without a reason: \(line)")
            }
            reasons[String(line[..<end.lowerBound])] = String(line[end.upperBound...])
        }
        return reasons
    }

    private func printScore(
        of mutants: [Int: Mutant], _ target: String, _ noticed: Set<Int>, _ reasons: [String: String]
    ) {
        let survivors = mutants.filter { !noticed.contains($0.key) }.map(\.value).sorted {
            ($0.file, $0.line) < ($1.file, $1.line)
        }
        let unexplained = survivors.filter { reasons[$0.name] == nil }
        for mutant in unexplained { say("not noticed, line \(mutant.line): \(mutant.name)") }
        say(
            """
            \(target): noticed \(mutants.count - survivors.count) of \(mutants.count); \
            \(survivors.count - unexplained.count) make no difference, \(unexplained.count) are not noticed
            """)
    }
}
