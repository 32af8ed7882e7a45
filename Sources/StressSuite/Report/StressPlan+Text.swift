extension StressPlan {
    /// The number of threads and processes, in a few words.
    package var workersText: String {
        if workload == .classic { return "threads with fixed roles" }
        let threads = Figures.plural(threads, "thread")
        if processes == 1 { return killEvery == nil ? threads : "1 process with \(threads)" }
        return "\(Figures.plural(processes, "process", "es")) with \(threads) each"
    }
}
