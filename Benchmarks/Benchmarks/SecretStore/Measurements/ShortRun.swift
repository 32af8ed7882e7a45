import Foundation

/// A run that only shows that everything can be measured.
///
/// The benchmark tool starts the measurements, and hands on no options of ours; hence a variable.
enum ShortRun {
    static let option = "--short"
    static let variable = "SKR_BENCHMARKS_SHORT"
    static let isOn = ProcessInfo.processInfo.environment[variable] != nil
}
