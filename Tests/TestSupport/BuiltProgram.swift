import Foundation

/// Returns the path of a program that was built next to the bundle of the tests.
package func builtProgram(_ name: String) -> String {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
}
