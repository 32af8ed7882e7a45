import CommandSupport
import CredentialHelpers

/// A client that only its user can set up: what to do there depends on servers and profiles.
struct ShownSetup: ClientSetup {
    /// What may name us.
    enum Sign {
        /// A file below the user's home, or the one that a variable names instead.
        case file(String, variable: String?)
        /// The same for a variable that names several, with colons between.
        case files(String, variable: String)
        case variable(String)
    }

    let lines: @Sendable (SetupCall) -> [String]
    /// Where it may name us.
    let signs: [Sign]
    /// The words by which it does.
    let words: String
    /// Whether a file does; where it is `nil`, that is one with these words.
    let names: (@Sendable (RawSpan) -> Bool)?

    init(
        _ words: String, in signs: [Sign], names: (@Sendable (RawSpan) -> Bool)? = nil,
        lines: @escaping @Sendable (SetupCall) -> [String]
    ) {
        self.names = names
        self.lines = lines
        self.signs = signs
        self.words = words
    }

    var canBeWritten: Bool { false }

    func instructions(_ call: SetupCall) -> [String] { lines(call) }

    func removalInstructions(_ call: SetupCall) -> [String] {
        guard case .ours(let place) = state(for: call.user) else { return [] }
        return ["take out of \(place) what names \(words)"]
    }

    func state(for user: SetupUser) -> ConfigurationState {
        for sign in signs {
            switch sign {
            case .variable(let name):
                if user.variable(name)?.contains(words) ?? false { return .ours(name) }
            case .file(let name, let variable):
                if let state = state(of: variable.flatMap(user.variable) ?? user.path(name), user) { return state }
            case .files(let name, let variable):
                for path in (user.variable(variable) ?? user.path(name)).split(separator: ":") {
                    if let state = state(of: String(path), user) { return state }
                }
            }
        }
        return .none
    }

    /// What a file says; `nil` where that is nothing.
    private func state(of path: String, _ user: SetupUser) -> ConfigurationState? {
        guard let file = try? ConfigurationFile(path) else { return .unreadable(user.shown(path)) }
        guard let text = file.text else { return nil }
        let isOurs = text.bytes.withBytes { bytes in names?(bytes) ?? bytes.contains(words) }
        return isOurs ? .ours(user.shown(path)) : nil
    }

    func write(_ call: SetupCall) throws(CommandError) -> [String] { throw Self.byHand(call.name) }

    func remove(_ call: SetupCall) throws(CommandError) -> [String] { throw Self.byHand(call.name) }

    static func byHand(_ name: String) -> CommandError {
        .usage("the configuration of \(name) is to be changed by hand", hint: "leave out --write-config to see how")
    }
}

/// The command of a user in kubectl's configuration.
package enum KubernetesCommand {
    /// Whether one is `skr`, whatever else the file says: in YAML as kubectl writes it, or in JSON.
    package static func isOurs(_ text: RawSpan) -> Bool {
        let key = "command"
        var rest = text
        while let start = rest.offset(of: key) {
            let isWholeWord = start == 0 || " \t\n\"'{,".utf8.contains(rest[start - 1])
            rest = rest.extracting((start + key.utf8.count)..<rest.byteCount)
            if isWholeWord, isSkr(behindKey: rest) { return true }
        }
        return false
    }

    private static func isSkr(behindKey text: RawSpan) -> Bool {
        func end(from start: Int, while isPart: (UInt8) -> Bool) -> Int {
            var end = start
            while end < text.byteCount, isPart(text[end]) { end += 1 }
            return end
        }
        let colon = end(from: 0) { "\"' \t".utf8.contains($0) }
        guard colon < text.byteCount, text[colon] == UInt8(ascii: ":") else { return false }
        let start = end(from: colon + 1) { "\"' \t".utf8.contains($0) }
        let stop = end(from: start) { !"\"',}\r\n".utf8.contains($0) }
        var words = String(lossy: text.extracting(start..<stop))[...]
        while words.last == " " { words.removeLast() }
        return words == "skr" || words.hasSuffix("/skr")
    }
}

extension RawSpan {
    fileprivate func contains(_ words: String) -> Bool { offset(of: words) != nil }

    /// Where these words begin first.
    fileprivate func offset(of words: String) -> Int? {
        let words = Array(words.utf8)
        var start = 0
        while let first = words.first, let found = offset(of: first, from: start) {
            if extracting(found..<byteCount).starts(with: words) { return found }
            start = found + 1
        }
        return nil
    }
}
