import Benchmark
import Foundation

// Without arguments, the table. The benchmark tool and the table start this program again with some.
switch CommandLine.arguments.dropFirst().first {
case nil:
    exit(Table.run())
case ShortRun.option:
    exit(Table.runShort())
case Witness.verb:
    exit(Witness.run())
case Replacer.verb:
    exit(Replacer.run(CommandLine.arguments.dropFirst(2).first))
default:
    Session.joinOwn()
    await BenchmarkRunner.setupBenchmarkRunner(registerBenchmarks: Measurement.registerAll)
}
