import Glibc

guard let options = SearchOptions(Array(CommandLine.arguments.dropFirst())) else {
    Output.write(SearchOptions.usage)
    exit(64)
}
Output.write("seed \(options.seed)\n")
do {
    try SourceProgram.prepare()
} catch {
    Output.write("\(error)\n")
    exit(70)
}
let series: [any Series]
switch options.choice {
case .all: series = options.all
case .sample(let count): series = Search.sample(count, of: options.all, seed: options.seed)
case .series(let chosen): series = chosen
case .interleaving(let interleaving):
    // Played in this process, so that a debugger can see it.
    do {
        var scene = try Scene(interleaving)
        exit(try scene.play().contains(.found) ? 1 : 0)
    } catch {
        Output.write("\(error)\n")
        exit(70)
    }
}
exit(Search(series: series, lanes: options.lanes).run() ? 0 : 1)
