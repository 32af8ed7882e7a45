import CTestFilters
import Foundation
import TestSupport

/// The executables that are tested: `skr`, and the programs next to it.
enum TestedPrograms {
    /// The `skr` that was built next to this test bundle.
    static let built = URL(fileURLWithPath: builtProgram("skr"))

    /// The tested `skr`: the executable that `SKR_TEST_EXECUTABLE` names, or else the built one.
    static let skr =
        ProcessInfo.processInfo.environment["SKR_TEST_EXECUTABLE"].map { URL(fileURLWithPath: $0) } ?? built

    /// Becomes `skr` with these words, and a filter of `test_filter_install`.
    static func become(_ line: String, behindFilter operation: CInt, _ error: CInt) -> Never {
        guard test_filter_install(operation, error) == 0 else { exit(3) }
        let words = "skr \(line)".split(separator: " ").map { strdup(String($0)) }
        execv(skr.path, words + [nil])
        exit(4)
    }

    /// A folder with the programs that every user can enter.
    ///
    /// If the programs are in root's home, this is a copy, which is removed when the tests end.
    static let folder: URL = {
        let original = skr.deletingLastPathComponent()
        guard isRoot, !canOthersEnter(original) else { return original }
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("skr-tests-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
            removal = copy
            atexit { TestedPrograms.removal.map { try? FileManager.default.removeItem(at: $0) } }
            for name in ["skr", "skr-secrets", "skr-oauth", "skr-stress"] {
                let program = original.appendingPathComponent(name)
                guard FileManager.default.fileExists(atPath: program.path) else { continue }
                try FileManager.default.copyItem(at: program, to: copy.appendingPathComponent(name))
            }
        } catch {
            fatalError("can't copy the programs to \(copy.path): \(error)")
        }
        return copy
    }()

    private nonisolated(unsafe) static var removal: URL?

    private static func canOthersEnter(_ folder: URL) -> Bool {
        let parents = sequence(first: folder) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
        return parents.allSatisfy { folder in
            var status = stat()
            return stat(folder.path, &status) == 0 && status.st_mode & S_IXOTH != 0
        }
    }
}
