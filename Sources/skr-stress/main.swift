import Glibc
import Keyutils
import StressSuite

let words = Array(CommandLine.arguments.dropFirst())
if words.first == StressProgram.workerWord {
    exit(WorkerProcess.run(Array(words.dropFirst())))
}
exit(StressProgram.main(words))
