import ArgumentParser

/// A duration on the command line.
package struct DurationArgument: ExpressibleByArgument {
    package let duration: Duration

    package init(seconds: Int64) {
        duration = .seconds(seconds)
    }

    package init?(argument: String) {
        guard let duration = DurationText.parse(argument) else { return nil }
        self.duration = duration
    }

    package var defaultValueDescription: String { "\(duration.components.seconds)s" }
}
