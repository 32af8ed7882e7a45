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
    @Option(help: "The tests to begin with: the target's tests, all quick tests, or the long tests (all).") var from =
        Trials.Stage.target
    @Option(help: "How far to go: the target's tests, all quick tests, or all tests.") var stage = Trials.Stage.all
    @Flag(help: "Try only unexplained changes that no test noticed in the last run with this seed.") var again =
        false
    @Flag(help: "Print the changes without trying them.") var list = false
    @Option(help: "Try only the changes whose description contains this.") var only: String?
    @Option(help: "The package's folder.") var package = "."

    func validate() throws {
        for target in targets where !MutatedTree.targets.contains(target) {
            throw ValidationError(
                "can't change the code of \(target); choose from: \(MutatedTree.targets.joined(separator: " "))")
        }
        guard count > 0, jobs > 0 else { throw ValidationError("--count and --jobs must be at least 1") }
    }

    func run() throws {
        let started = Date()
        var tree = try MutatedTree(package: URL(fileURLWithPath: package).standardizedFileURL)
        let explanations = try Explanations(file: tree.package.appendingPathComponent("Tests/Mutation/no-difference"))
        let all = try tree.mutants()
        // More than are tried, because some of the lines are run by no test, and some of the changes don't compile.
        let drawn = Draw.draw(count * 17 / 10, of: all, targets: MutatedTree.targets, seed: seed)
        say("seed \(seed): \(all.count) possible changes in \(MutatedTree.targets.joined(separator: ", "))")
        if list {
            for mutant in drawn { say("line \(mutant.line): \(mutant.name)") }
            return
        }
        let built = try tree.build(drawn)
        let suites = try TestSuites(bundle: tree.bundle)
        let reach = try Reach(
            suites, bundle: tree.bundle, jobs: jobs, file: tree.folder.appendingPathComponent("reach.json"))
        say("found out which suites run which changes (\(Int(-started.timeIntervalSinceNow)) s)")
        for (suite, why) in reach.broken { say("left out, because it fails without any change: \(suite.name): \(why)") }

        let chosen = choose(from: built, reached: reach.all)
        let report = Report(at: Report.place(seed: seed, in: tree.folder), continuing: again)
        let known = chosen.compactMapValues { report.verdict(of: $0) }
        let trials = Trials(
            bundle: tree.bundle, suites: suites, reach: reach,
            mutants: chosen.filter { !again || explanations.reason(for: $0.value) == nil }, jobs: jobs, known: known,
            save: report.save)
        defer { say("after \(Int(-started.timeIntervalSinceNow)) s") }
        try trials.run(from: from, upTo: stage)

        let noticed = trials.noticed
        for (test, count) in trials.flakyTests.sorted(by: { $0.key < $1.key }) {
            say("failed with a change, but passed when run again: \(test) (\(count))")
        }
        for target in targets {
            printScore(of: chosen.filter { $0.value.target == target }, target, noticed, explanations)
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

    private func printScore(
        of mutants: [Int: Mutant], _ target: String, _ noticed: [Int: Trials.Verdict], _ explanations: Explanations
    ) {
        let survivors = mutants.filter { noticed[$0.key] == nil }.map(\.value).sorted {
            ($0.file, $0.line) < ($1.file, $1.line)
        }
        let unexplained = survivors.filter { explanations.reason(for: $0) == nil }
        let counted = mutants.count - survivors.count + unexplained.count
        for mutant in unexplained { say("not noticed, line \(mutant.line): \(mutant.name)") }
        for mutant in survivors {
            if let reason = explanations.reason(for: mutant) {
                say("no difference, line \(mutant.line): \(mutant.name): \(reason)")
            }
        }
        let stages = Dictionary(grouping: mutants.keys.compactMap { noticed[$0]?.stage }) { $0 }.mapValues(\.count)
        let share = counted == 0 ? 100 : (mutants.count - survivors.count) * 1000 / counted
        say(
            """
            \(target): noticed \(mutants.count - survivors.count) of \(mutants.count) \(stages.sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.value)" }.joined(separator: ", ")); \
            \(survivors.count - unexplained.count) make no difference, \(unexplained.count) are not noticed: \
            \(share / 10).\(share % 10)%
            """)
    }
}

extension Trials.Stage: ExpressibleByArgument {}
