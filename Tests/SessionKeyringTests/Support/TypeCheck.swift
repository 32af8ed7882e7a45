import Foundation

/// Runs the compiler on programs that use the library that was built for this test bundle.
enum TypeCheck {
    /// Returns the compiler's errors and warnings, one line each.
    ///
    /// - Throws: an error if the compiler can't be run.
    static func messages(about program: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("program.swift")
        try Data(program.utf8).write(to: source)

        return try messages(aboutFiles: [source], cache: folder)
    }

    /// Returns the compiler's errors and warnings about each program.
    ///
    /// The programs are compiled together, as one file, because the compiler takes most of its time to load the modules.
    ///
    /// - Throws: an error if the compiler can't be run, or if it reports anything outside these programs.
    static func messages(aboutEach programs: [String]) throws -> [[String]] {
        struct OutsideMessage: Error { let message: String }
        var ends: [Int] = []
        for program in programs { ends.append((ends.last ?? 0) + program.count { $0 == "\n" } + 1) }
        var messages = programs.map { _ in [String]() }
        for message in try self.messages(about: programs.joined(separator: "\n")) {
            // The beginning is FILE:LINE:COLUMN.
            let line = message.split(separator: ":").dropFirst().first.flatMap { Int($0) } ?? 0
            guard line > 0, let index = ends.firstIndex(where: { line <= $0 }) else {
                throw OutsideMessage(message: message)
            }
            messages[index].append(message)
        }
        return messages
    }

    /// The root folder of the repository.
    static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardized

    /// Returns the compiler's errors and warnings about these files, one line each.
    ///
    /// - Throws: an error if the compiler can't be run.
    static func messages(
        aboutFiles files: [URL], cache folder: URL = FileManager.default.temporaryDirectory
    ) throws -> [String] {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let build = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        // Using the build's own cache, if it is writable, saves ten seconds.
        var cache = build.appendingPathComponent("ModuleCache").path
        if !FileManager.default.isWritableFile(atPath: cache) { cache = folder.path }
        let sources = repository.appendingPathComponent("Sources")
        let arguments = [
            "-typecheck", "-swift-version", "6", "-diagnostic-style=llvm", "-enable-upcoming-feature",
            "MemberImportVisibility", "-I", build.appendingPathComponent("Modules").path,
            "-I", "\(sources.path)/CKeyutils", "-I", "\(sources.path)/CLinux", "-module-cache-path", cache,
        ]
        let outcome = try ChildProcess.run(
            "swiftc", arguments + files.map(\.path), environment: ChildProcess.environment([:]))
        return String(decoding: outcome.errors, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.contains(": error: ") || $0.contains(": warning: ") }
    }
}
