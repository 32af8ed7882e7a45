import CommandSupport
package import Keyutils
import SecretText

/// The setup of docker, whose `config.json` names the helper for all servers.
///
/// Only an ordinary file changes, and only by one member of its object. Any other helper stays.
package struct DockerSetup: WritableSetup {
    private static let member = "credsStore"
    private static let ownMember = "\"\(member)\": \"skr\""

    private func path(for user: SetupUser) -> String {
        "\(user.variable("DOCKER_CONFIG") ?? user.path(".docker"))/config.json"
    }

    func instructions(_ call: SetupCall) -> [String] {
        if case .ours = state(for: call.user) { [] } else { lines(for: call.user) }
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        switch state(for: call.user) {
        case .none, .other: []
        case .ours, .unreadable: lines(for: call.user)
        }
    }

    private func lines(for user: SetupUser) -> [String] {
        ["in \(user.shown(path(for: user))):", "  \(Self.ownMember)"]
    }

    func state(for user: SetupUser) -> ConfigurationState {
        let path = path(for: user)
        do throws(SetupRefusal) {
            guard let text = try SetupFile.read(path) else { return .none }
            let store = try text.bytes.withBytes { text throws(SetupRefusal) in
                try Self.store(in: text, Self.members(of: text))?.name
            }
            guard let store, !store.isEmpty else { return .none }
            return store == "skr" ? .ours("\(Self.member): skr") : .other("\(Self.member): \(store)")
        } catch {
            return .unreadable(user.shown(path))
        }
    }

    func write(_ call: SetupCall) throws(CommandError) { try change(call, Self.adding) }

    func remove(_ call: SetupCall) throws(CommandError) { try change(call, Self.removing) }

    private func change(
        _ call: SetupCall, _ edit: (RawSpan) throws(SetupRefusal) -> SecretBytes
    ) throws(CommandError) {
        let path = path(for: call.user)
        let edited: SecretBytes
        do throws(SetupRefusal) {
            try SetupFile.requireOrdinary(path)
            let text = try SetupFile.read(path) ?? SecretBox(SecretBytes(utf8: "{}\n"))
            edited = try text.bytes.withBytes { text throws(SetupRefusal) in try edit(text) }
        } catch {
            throw CommandError(error, of: Display.quoted(path))
        }
        do throws(CommandError) {
            try LinkFolder.make(LinkFolder.parent(of: path), mode: 0o700)
            try edited.withBytes { text throws(CommandError) in try ReplacedFile.write(text, to: path) }
        } catch {
            throw CommandError(exitCode: error.exitCode, message: error.message, hint: SetupRefusal.hint)
        }
    }

    /// Returns the text with our member as the first one.
    ///
    /// The new member gets the white space that precedes the current first member.
    package static func adding(to text: RawSpan) throws(SetupRefusal) -> SecretBytes {
        let json = try members(of: text)
        if let store = try store(in: text, json) {
            throw SetupRefusal("its \(member) is \(Display.quoted(store.name))", .cannotCreate)
        }
        let start = json.object.lowerBound + 1
        let first = json.members.first?.range.lowerBound
        return SecretBytes { edited in
            edited.append(text.extracting(0..<(first ?? start)))
            edited.append(first == nil ? ownMember : "\(ownMember),")
            edited.append(text.extracting(start..<text.byteCount))
        }
    }

    /// Returns the text without our member.
    package static func removing(from text: RawSpan) throws(SetupRefusal) -> SecretBytes {
        let json = try members(of: text)
        guard let store = try store(in: text, json), store.name == "skr" else {
            throw SetupRefusal("its \(member) is not \"skr\"")
        }
        var cut = json.members[store.index].range
        if store.index > 0 {
            cut = json.members[store.index - 1].range.upperBound..<cut.upperBound
        } else if json.members.count > 1 {
            cut = cut.lowerBound..<json.members[1].range.lowerBound
        }
        return SecretBytes { edited in
            edited.append(text.extracting(0..<cut.lowerBound))
            edited.append(text.extracting(cut.upperBound..<text.byteCount))
        }
    }

    /// Returns the helper that the file names, and the index of that member.
    private static func store(
        in text: RawSpan, _ json: JSONMembers
    ) throws(SetupRefusal) -> (name: String, index: Int)? {
        // Go's JSON ignores case, and also treats U+017F as an s and U+212A as a k.
        let found = json.members.indices.filter {
            json.members[$0].name.uppercased().lowercased().utf8.elementsEqual(member.lowercased().utf8)
        }
        guard let index = found.first else { return nil }
        guard found.count == 1,
            case .found(let name) = JSONField.find(.root, in: text.extracting(json.members[index].value))
        else { throw SetupRefusal("its \(member) is not a string, or occurs twice") }
        return (name.withBytes { String(lossy: $0) }, index)
    }

    private static func members(of text: RawSpan) throws(SetupRefusal) -> JSONMembers {
        do throws(JSONMembers.NoObject) {
            return try JSONMembers(of: text)
        } catch {
            throw SetupRefusal("it is not a JSON object")
        }
    }
}

extension DockerSetup {
    func remarks(_ call: SetupCall) -> [CommandError] {
        let path = path(for: call.user)
        guard let text = try? SetupFile.read(path) else { return [] }
        let servers = text.bytes.withBytes(Self.plainServers).map(Display.plain)
        guard let first = servers.first.map(Display.shellWord) else { return [] }
        return [
            .data(
                "\(call.user.shown(path)) contains unencrypted secrets of \(servers.joined(separator: ", "))",
                hint: "to move one to the keyring: docker logout \(first); docker login \(first)")
        ]
    }

    /// Returns the servers whose secret is in the file itself.
    package static func plainServers(in text: RawSpan) -> [String] {
        guard let auths = try? JSONMembers(of: text).members.last(where: { $0.name.lowercased() == "auths" }),
            case let object = text.extracting(auths.value), let servers = try? JSONMembers(of: object)
        else { return [] }
        return servers.members.filter { server in
            let fields = (try? JSONMembers(of: object.extracting(server.value)).members) ?? []
            return fields.contains { field in
                ["auth", "password", "identitytoken", "registrytoken"].contains(field.name.lowercased())
                    && field.value.count > 2
            }
        }.map(\.name)
    }
}
