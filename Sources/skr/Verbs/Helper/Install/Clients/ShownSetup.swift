import CommandSupport
import CredentialHelpers

/// A client that only its user can set up: what to do there depends on servers and profiles.
struct ShownSetup: ClientSetup {
    /// A file below the user's home, or a variable, that names us.
    enum Sign {
        case file(String)
        case variable(String)
    }

    let lines: @Sendable (SetupCall) -> [String]
    /// Where it may name us.
    let signs: [Sign]
    /// The words by which it does.
    let words: String

    init(_ words: String, in signs: [Sign], lines: @escaping @Sendable (SetupCall) -> [String]) {
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
            case .file(let name):
                guard let file = try? ConfigurationFile(user.path(name)) else {
                    return .unreadable(user.shown(user.path(name)))
                }
                if file.text?.contains(words) ?? false { return .ours(user.shown(file.path)) }
            }
        }
        return .none
    }

    func write(_ call: SetupCall) throws(CommandError) -> [String] { throw Self.byHand(call.name) }

    func remove(_ call: SetupCall) throws(CommandError) -> [String] { throw Self.byHand(call.name) }

    static func byHand(_ name: String) -> CommandError {
        .usage("the configuration of \(name) is to be changed by hand", hint: "leave out --write-config to see how")
    }
}

extension SecretBox {
    fileprivate func contains(_ words: String) -> Bool {
        let words = Array(words.utf8)
        return bytes.withBytes { text in
            var rest = text
            while let start = words.first.flatMap({ rest.offset(of: $0) }) {
                rest = rest.extracting(start..<rest.byteCount)
                if rest.starts(with: words) { return true }
                rest = rest.extracting(1..<rest.byteCount)
            }
            return false
        }
    }
}
