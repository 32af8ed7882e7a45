import Foundation
import Testing

/// Runs the lab tests on a kernel with every feature, a user-mode Linux 6.12, in seconds and without privilege.
///
/// Set `SKR_KERNEL_LAB` to the folder that holds `vmtest`, and install busybox-static and cpio:
///
///     SKR_KERNEL_LAB=/path/to/kernel-lab swift test --filter LabRunTests
///
/// No name in this file begins like the names of the lab suites, so the filter below does not choose this test again.
@Suite("A kernel with every feature")
struct LabRunTests {
    static let lab = ProcessInfo.processInfo.environment["SKR_KERNEL_LAB"]

    /// The environment variables of Tests/Mutation, which the lab's programs would not inherit.
    private static let mutants = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("MUTANTS_") }
        .map { "\($0.key)=\($0.value)" }

    @Test("the lab tests pass in the kernel lab", .enabled(if: lab != nil && !Capability.isKernelLab))
    func labPasses() throws {
        let suites = ["Big keys", "Diffie-Hellman", "Private keys in the kernel", "The lab's clock"]
        try run("KernelLab(?!Quota)", tests: 11, in: suites)
    }

    @Test(
        "the tests of the lab's quota pass in the kernel lab", .tags(.long),
        .enabled(if: lab != nil && !Capability.isKernelLab))
    func quotaPasses() throws {
        try run("KernelLabQuota", tests: 2, in: ["The lab's quota"])
    }

    /// Runs these suites in the lab, and expects at least this many tests.
    private func run(_ filter: String, tests: Int, in suites: [String]) throws {
        let lab = try #require(Self.lab)
        // The program that `swift test` runs is the bundle that holds all test targets.
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var words: [String] = ["-c", #"exec "$0" "$@" 2>&1"#, "\(lab)/vmtest", "--host-root", "/usr/bin/env"]
        words += Self.mutants
        words += [executable, "--testing-library", "swift-testing", "--filter", filter]
        let outcome = try ChildProcess.run(
            "/bin/sh", words, environment: ChildProcess.environment(["TIMEOUT": "60"]), within: .seconds(70))
        let output = String(decoding: outcome.output, as: UTF8.self)
        // User-mode Linux 6.12 has no room for the registers of the newest processors.
        if outcome.exitCode == 126, output.contains("ptrace set fp regs failed") {
            print("the kernel lab can't run on this processor, so \(filter) is skipped")
            return
        }
        #expect(outcome.exitCode == 0, "\(output)")
        let passed = try #require(output.firstMatch(of: #/Test run with (\d+) tests? .*passed/#), "\(output)")
        #expect(try #require(Int(passed.1)) >= tests, "\(output)")
        // The lab has every feature: a lab test that was skipped was skipped by mistake.
        #expect(!output.contains("skipped"), "\(output)")
        for suite in suites {
            #expect(output.contains("Suite \"\(suite)\" passed"), "\(output)")
        }
    }
}
