import CommandSupport
import Glibc
import SecretText

/// A client whose configuration we only show.
///
/// The right lines depend on the client's servers and profiles, or they are in a format that we don't edit.
struct ShownSetup: ClientSetup {
    /// A file below the user's home, and the variable that can name another file.
    ///
    /// The variable can also name several files, separated by colons. If the rest of a path follows the variable's
    /// name, the variable names a folder. The name is empty if no variable names the file.
    typealias File = (variable: String, path: String)

    /// The words by which a configuration names us.
    let words: String
    var files: [File] = []
    /// Whether the client reads only the first file that exists.
    ///
    /// If none exists, we show the last one.
    var readsOneFile = false
    /// The variables whose values can name us.
    var variables: [String] = []
    /// The client's own folder for links, below the user's home.
    var linkFolder: String?
    /// Returns the words that the client understands only without quotes.
    var unquoted: @Sendable (SetupCall) -> [String] = { _ in [] }
    /// Returns the lines for a call and for the first file, whose path is written as people write it.
    let lines: @Sendable (SetupCall, String) -> [String]

    func linkFolder(for user: SetupUser) -> String? { linkFolder.map(user.path) }

    func unspeakableWord(_ call: SetupCall) -> String? { unquoted(call).first { Display.shellWord($0) != $0 } }

    func instructions(_ call: SetupCall) -> [String] {
        lines(call, paths(call.user).first.map(call.user.shown) ?? "")
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        guard case .ours(let place) = state(for: call.user) else { return [] }
        return ["in \(place), remove the setting that contains: \(words)"]
    }

    func state(for user: SetupUser) -> ConfigurationState {
        if let name = variables.first(where: { user.variable($0)?.contains(words) ?? false }) { return .ours(name) }
        for path in paths(user) {
            do throws(SetupRefusal) {
                let text = try SetupFile.read(path)
                if text?.bytes.withBytes({ $0.hasLine(with: words) }) ?? false { return .ours(user.shown(path)) }
            } catch {
                return .unreadable(user.shown(path))
            }
        }
        return .none
    }

    /// Returns the files that the client reads.
    private func paths(_ user: SetupUser) -> [String] {
        // Some clients treat /dev/null as no file.
        let paths = files.flatMap { Self.paths($0, user) }.filter { $0 != "/dev/null" }
        guard readsOneFile else { return paths }
        return (paths.first(where: { unsafe access($0, F_OK) == 0 }) ?? paths.last).map { [$0] } ?? []
    }

    private static func paths(_ file: File, _ user: SetupUser) -> [String] {
        let name = file.variable.prefix(before: "/")
        guard let value = user.variable(String(name)) else { return [user.path(file.path)] }
        return value.split(separator: ":").map { "\($0)\(file.variable.dropFirst(name.count))" }
    }
}

extension RawSpan {
    /// Returns whether a line that is not a comment contains these words.
    fileprivate func hasLine(with words: String) -> Bool {
        let words = Array(words.utf8)
        var start = 0
        while start < byteCount {
            let end = offset(of: UInt8(ascii: "\n"), from: start) ?? byteCount
            while start < end, self[start].isBlank { start += 1 }
            let isComment = start < end && "#;".utf8.contains(self[start])
            while !isComment, start + words.count <= end {
                if extracting(start..<end).starts(with: words) { return true }
                start += 1
            }
            start = end + 1
        }
        return false
    }
}
