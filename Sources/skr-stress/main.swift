import Glibc
import StressSuite

let words = Array(CommandLine.arguments.dropFirst())
if words.first == StressProgram.actorWord {
    exit(ActorProcess.run(Array(words.dropFirst())))
}
exit(StressProgram.main(words))
