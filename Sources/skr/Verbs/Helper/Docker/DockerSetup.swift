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

    func configuration(of user: SetupUser) -> String { Display.quoted(path(for: user)) }

    func instructions(_ call: SetupCall) -> [String] {
        if case .ours = state(for: call.user) { [] } else { lines("in", call.user) }
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        switch state(for: call.user) {
        case .none, .other: []
        case .ours, .unreadable: lines("from", call.user)
        }
    }

    private func lines(_ preposition: String, _ user: SetupUser) -> [String] {
        ["\(preposition) \(user.shown(path(for: user))):", "  \(Self.ownMember)"]
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

    func change(_ call: SetupCall, isRemoval: Bool) throws(SetupRefusal) {
        let path = path(for: call.user)
        let condition = try SetupFile.requireOrdinary(path, of: call.user)
        let text = try SetupFile.read(path) ?? SecretBox(SecretBytes(utf8: "{}\n"))
        let edited = try text.bytes.withBytes { text throws(SetupRefusal) -> SecretBytes in
            guard isRemoval else { return try Self.adding(to: text) }
            return try Self.removing(from: text)
        }
        do throws(CommandError) {
            try LinkFolder.make(LinkFolder.parent(of: path), mode: 0o700)
            try edited.withBytes { text throws(CommandError) in
                try ReplacedFile.write(text, to: path, if: condition)
            }
        } catch {
            throw SetupRefusal(error.message, error.exitCode)
        }
    }

    /// Returns the text with our member as the first one, or in place of an empty one.
    ///
    /// The new member gets the white space that precedes the current first member.
    package static func adding(to text: RawSpan) throws(SetupRefusal) -> SecretBytes {
        let json = try members(of: text)
        for index in json.indices(of: "credHelpers") {
            let helpers = text.extracting(json.members[index].value)
            guard let others = try? JSONMembers(of: helpers) else {
                throw SetupRefusal("its credHelpers is not an object")
            }
            for helper in others.members where Self.text(helper, in: helpers) != "skr" {
                throw SetupRefusal(
                    "its credHelpers has another helper for \(Display.quoted(helper.name))", .cannotCreate)
            }
        }
        let store = try store(in: text, json)
        if let name = store?.name, !name.isEmpty {
            throw SetupRefusal("its \(member) is \(Display.quoted(name))", .cannotCreate)
        }
        let start = json.object.lowerBound + 1
        let first = json.members.first?.range.lowerBound
        let replaced = store.map { json.members[$0.index].range }
        return SecretBytes { edited in
            edited.append(text.extracting(0..<(replaced?.lowerBound ?? first ?? start)))
            edited.append(replaced != nil || first == nil ? ownMember : "\(ownMember),")
            edited.append(text.extracting((replaced?.upperBound ?? start)..<text.byteCount))
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
        let found = json.indices(of: member)
        guard let index = found.first else { return nil }
        guard found.count == 1, let name = Self.text(json.members[index], in: text) else {
            throw SetupRefusal("its \(member) is not a string, or occurs twice")
        }
        return (name, index)
    }

    /// Returns the member's value; `nil` if it isn't a string.
    private static func text(_ member: JSONMembers.Member, in text: RawSpan) -> String? {
        guard case .found(let value) = JSONField.find(.root, in: text.extracting(member.value)) else { return nil }
        return value.withBytes { String(lossy: $0) }
    }

    private static func members(of text: RawSpan) throws(SetupRefusal) -> JSONMembers {
        // docker rejects a byte order mark.
        guard text.byteCount == 0 || text[0] != 0xEF else { throw SetupRefusal("it is not a JSON object") }
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

extension JSONMembers {
    /// Returns the indices of the members that docker takes for this one.
    fileprivate func indices(of name: String) -> [Int] {
        // Go's JSON ignores case, and also treats U+017F as an s and U+212A as a k.
        members.indices.filter {
            members[$0].name.uppercased().lowercased().utf8.elementsEqual(name.lowercased().utf8)
        }
    }
}
