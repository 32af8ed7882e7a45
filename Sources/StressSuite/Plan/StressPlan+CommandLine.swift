extension StressPlan {
    /// The command that repeats this run.
    package var commandLine: String {
        var words = ["skr-stress", "--workload", workload.rawValue]
        if workload != .classic {
            words += ["--threads", "\(threads)", "--processes", "\(processes)"]
            switch length {
            case .operations(let count): words += ["--operations", "\(count)"]
            case .seconds(let seconds): words += ["--duration", "\(Int(seconds.rounded(.up)))s"]
            }
            words += ["--items", "\(items)"]
        }
        words += ["--value-size", "\(largestValue)", "--seed", "\(seed)"]
        if let killEvery { words += ["--kill-every", "\(killEvery)"] }
        if let fault { words += ["--fault", fault.rawValue] }
        if isHostile { words.append("--hostile") }
        return words.joined(separator: " ")
    }
}
