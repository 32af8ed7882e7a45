import Benchmark
import Foundation

/// Runs a command: `benchmarks [WORD [OPTION...]]`.
///
/// Without a word, it prints the table.
let words = CommandLine.arguments.dropFirst()
let options = Array(words.dropFirst())
// These variables would change the behaviour of the measured commands.
for variable in ["SKR_SCOPE", "SKR_NAMESPACE", "SKR_TIMEOUT"] { unsetenv(variable) }

switch words.first {
case nil, "table": Program.run { try Table.run(options) }
case "cold-start": Program.run { Table.show(try ColdStart.rows(options)) }
case "helpers": Program.run { Table.show(try HelperStart.rows(options)) }
case "commands": Program.run { Table.show(try RunningCommands.rows(options) + VerbStart.rows(options)) }
case "sources": Program.run { Table.show(try Sources.rows(options)) }
case "contention": Program.run { Table.show(try Contention.rows(options)) }
case "ways": Program.become(["python3", "-B", Program.directory + "Ways/count-ways.py"] + options)
case "compare": Program.run { try Compare.run(options) }
case "scale": Program.run { try Scale.run(options) }
// The remaining words are used when this program starts itself.
case Scale.partWord: Program.run { try Scale.measure(options) }
case SyscallCounts.word: Program.run { try SyscallCounts.count() }
case FirstStore.word: Program.run(inOwnSession: false) { try FirstStore.measure() }
case Compare.getWord: Program.run(inOwnSession: false) { try Compare.measureGet(options) }
case Replacer.word: Program.run(inOwnSession: false) { try Replacer.replace() }
case UpdatingProcess.word: Program.run(inOwnSession: false) { try UpdatingProcess.update(options) }
case let word? where word.hasPrefix("-"):
    // The benchmark tool starts this program, too.
    Program.joinOwnSession()
    await BenchmarkRunner.setupBenchmarkRunner(registerBenchmarks: Measurement.registerAll)
default:
    let words = "table [--short]|cold-start|helpers|commands|sources|compare|scale|contention|ways"
    Console.fail("usage: benchmarks [\(words)] [OPTION...]", code: 64)
}
