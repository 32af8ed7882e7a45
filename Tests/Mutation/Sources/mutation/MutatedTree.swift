import Foundation

/// A copy of the package in which all chosen mutants are compiled, each inactive unless the environment names it.
struct MutatedTree {
    static let targets = ["Keyutils", "SessionKeyring", "CredentialHelpers", "skr"]

    let package: URL
    /// The folder for everything that a run creates: the copy, its build and the reports.
    let folder: URL
    /// The mutants that the compiler refused, in this or an earlier run.
    private(set) var refused: Set<String>

    init(package: URL) throws {
        self.package = package
        folder = package.appendingPathComponent(".build/mutation")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let known = try? String(contentsOf: folder.appendingPathComponent("refused"), encoding: .utf8)
        refused = Set((known ?? "").split(separator: "\n").map(String.init))
    }

    var tree: URL { folder.appendingPathComponent("tree") }
    var products: URL { tree.appendingPathComponent(".build/debug") }
    var bundle: URL { products.appendingPathComponent("SessionKeyringPackageTests.xctest") }

    // MARK: - Mutants

    /// Returns all mutants of the targets, except those that don't compile.
    func mutants() throws -> [Mutant] {
        try sourceFiles().flatMap { MutantFinder.mutants(of: $0.code, file: $0.name, target: $0.target) }
            .filter { !refused.contains($0.name) }
    }

    private func sourceFiles() throws -> [(target: String, name: String, code: String)] {
        try trackedFiles().compactMap { name in
            let parts = name.split(separator: "/")
            guard parts.count > 2, parts[0] == "Sources", name.hasSuffix(".swift"),
                Self.targets.contains(String(parts[1]))
            else { return nil }
            return (
                String(parts[1]), name, try String(contentsOf: package.appendingPathComponent(name), encoding: .utf8)
            )
        }
    }

    private func trackedFiles() throws -> [String] {
        let output = try Program.output(
            "git", ["-C", package.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        return output.split(separator: "\0").map(String.init).filter {
            FileManager.default.fileExists(atPath: package.appendingPathComponent($0).path)
        }
    }

    // MARK: - Building

    /// Compiles the copy with these mutants, which must not overlap, and leaves out those that don't compile.
    ///
    /// - Returns: the mutants that were compiled, by the numbers that activate them, which are their indices in
    ///   `mutants`.
    mutating func build(_ mutants: [Mutant]) throws -> [Int: Mutant] {
        var kept = Dictionary(uniqueKeysWithValues: mutants.enumerated().map { ($0.offset, $0.element) })
        for round in 1...60 {
            try write(kept)
            let started = Date()
            let errors = try compile()
            let seconds = Int(-started.timeIntervalSinceNow)
            if errors.isEmpty {
                say("built with \(kept.count) mutants (\(seconds) s)")
                return kept
            }
            let culprits = Set(errors.flatMap { self.culprits(of: $0, among: kept) })
            guard !culprits.isEmpty else {
                throw Failure(
                    "there is no mutant near these compiler errors:\n" + errors.map(\.text).joined(separator: "\n"))
            }
            say("round \(round): \(culprits.count) mutants don't compile (\(seconds) s)")
            for number in culprits { kept.removeValue(forKey: number).map { _ = refused.insert($0.name) } }
            try refused.sorted().joined(separator: "\n").write(
                to: folder.appendingPathComponent("refused"), atomically: true, encoding: .utf8)
        }
        throw Failure("the mutants still don't compile after 60 rounds")
    }

    private struct CompilerError {
        let file: String
        let line: Int
        let text: String
    }

    /// Returns the mutants on the error's line, or otherwise in its function, or otherwise in its file.
    private func culprits(of error: CompilerError, among mutants: [Int: Mutant]) -> [Int] {
        let inFile = mutants.filter { $0.value.file == error.file }
        let near = [
            inFile.filter { $0.value.line == error.line },
            inFile.filter { $0.value.line <= error.line && error.line <= $0.value.line + 4 },
            // For example, a variable has no value because a statement is dropped.
            inFile.filter { $0.value.functionLines.contains(error.line) && $0.value.rule == .dropped },
            inFile.filter { $0.value.functionLines.contains(error.line) },
            inFile,
        ].first { !$0.isEmpty }
        return near.map { Array($0.keys) } ?? []
    }

    private func compile() throws -> [CompilerError] {
        let outcome = try Program.run(
            "swift", ["build", "--build-tests", "--enable-all-traits", "--package-path", tree.path])
        guard outcome.code != 0 else { return [] }
        let prefix = tree.path + "/"
        var errors: [CompilerError] = []
        for line in outcome.output.split(separator: "\n") where line.contains(": error:") {
            let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0].hasPrefix(prefix), let number = Int(parts[1]) else { continue }
            errors.append(
                CompilerError(file: String(parts[0].dropFirst(prefix.count)), line: number, text: String(line)))
        }
        if errors.isEmpty { errors = crashes(in: outcome.output) }
        guard !errors.isEmpty else {
            try outcome.output.write(to: folder.appendingPathComponent("build.log"), atomically: true, encoding: .utf8)
            throw Failure("the build failed; see .build/mutation/build.log")
        }
        return errors
    }

    /// Returns the place that the compiler was at when it crashed: "(at FILE:LINE:COLUMN)", or a range like that.
    private func crashes(in output: String) -> [CompilerError] {
        let place = /(\/[^\s:"\[]+\.swift):(\d+):\d+/
        let dump = output.split(separator: "\n").filter { $0.contains("While ") || $0.contains(" (at ") }
        return dump.reversed().lazy.compactMap { line -> CompilerError? in
            guard let match = line.firstMatch(of: place), let number = Int(match.2) else { return nil }
            let file = String(match.1.dropFirst(tree.path.count + 1))
            return CompilerError(file: file, line: number, text: String(line))
        }.prefix(1).map { $0 }
    }

    // MARK: - The copy

    /// Writes only the files that differ, so that only those are compiled.
    private func write(_ mutants: [Int: Mutant]) throws {
        let byFile = Dictionary(grouping: mutants, by: \.value.file)
        var names = Set<String>()
        for name in try trackedFiles() {
            if let destination = try? FileManager.default.destinationOfSymbolicLink(
                atPath: package.appendingPathComponent(name).path)
            {
                try link(name, to: destination)
                continue
            }
            let original = try Data(contentsOf: package.appendingPathComponent(name))
            let wanted =
                if name == "Package.swift" {
                    Self.manifest(from: String(decoding: original, as: UTF8.self))
                } else if let mutants = byFile[name] {
                    Self.apply(mutants.map { ($0.key, $0.value) }, to: original)
                } else {
                    original
                }
            try put(wanted, at: name, like: package.appendingPathComponent(name))
            names.insert(name)
        }
        for target in Self.targets {
            let name = "Sources/\(target)/MutationSwitch.swift"
            try put(Data(Self.switchCode.utf8), at: name, like: nil)
            names.insert(name)
        }
        // The copy builds with the package's own dependencies, and without the network.
        if let resolved = try? Data(contentsOf: package.appendingPathComponent("Package.resolved")) {
            try put(resolved, at: "Package.resolved", like: nil)
        }
        try removeFiles(except: names)
    }

    private func put(_ data: Data, at name: String, like original: URL?) throws {
        let place = tree.appendingPathComponent(name)
        if let existing = try? Data(contentsOf: place), existing == data { return }
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: place)
        if let original, let mode = try FileManager.default.attributesOfItem(atPath: original.path)[.posixPermissions] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.path)
        }
    }

    private func link(_ name: String, to destination: String) throws {
        let place = tree.appendingPathComponent(name)
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: place.path)) != destination else { return }
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: destination)
    }

    private func removeFiles(except names: Set<String>) throws {
        for folder in ["Sources", "Tests"] {
            let root = tree.appendingPathComponent(folder)
            for case let path as String in FileManager.default.enumerator(atPath: root.path) ?? .init() {
                let place = root.appendingPathComponent(path)
                let isCode = path.hasSuffix(".swift") || path.hasSuffix(".c")
                let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: place.path)) != nil
                guard isCode, !isLink, !names.contains("\(folder)/\(path)") else { continue }
                try FileManager.default.removeItem(at: place)
            }
        }
    }

    private static func apply(_ mutants: [(number: Int, mutant: Mutant)], to original: Data) -> Data {
        var bytes = Array(original)
        for (number, mutant) in mutants.sorted(by: { $0.mutant.bytes.lowerBound > $1.mutant.bytes.lowerBound }) {
            let code = mutant.replacement.replacingOccurrences(
                of: Mutant.activeCode, with: "isMutationActive(\(number))")
            bytes.replaceSubrange(mutant.bytes, with: Array(code.utf8))
        }
        return Data(bytes)
    }

    /// Has no import, because programs that use the modules would need it too.
    private static let switchCode = """
        @_silgen_name("mutation_is_active") private func isActive(_ number: CInt) -> Bool

        func isMutationActive(_ number: Int) -> Bool { isActive(CInt(number)) }

        """

    /// Returns the copy's manifest, with the runtime for mutants and without errors for warnings.
    ///
    /// Mutants cause warnings, for example about code that never runs.
    private static func manifest(from original: String) -> Data {
        let lenient = original.replacingOccurrences(of: ".treatAllWarnings(as: .error),", with: "")
            .replacingOccurrences(of: ".strictMemorySafety(),", with: "")
        return Data(
            (lenient + """

                package.targets.append(.target(name: "CMutation", path: "Tests/Mutation/Runtime"))
                for target in package.targets where \(targets).contains(target.name) {
                    target.dependencies.append("CMutation")
                }

                """).utf8)
    }
}

/// The reason why the tool stops.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
