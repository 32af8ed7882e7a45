import ArgumentParser

/// Whether short runs with more and more workers follow.
enum ScalingChoice: EnumerableFlag {
    case scaling, noScaling

    static func help(for value: ScalingChoice) -> ArgumentHelp? {
        switch value {
        case .scaling: "Measure 1, 2, 4 and 8 threads and processes too, 1 s each, as --report does."
        case .noScaling: "Leave that out of the report."
        }
    }
}
