import CommandSupport
import Keyutils
import SecretText

/// The setup of docker, whose `config.json` names the helper for all servers.
package struct DockerSetup: FileSetup {
    private static let member = "credsStore"

    package init() {}

    func path(for user: SetupUser) -> String {
        "\(user.variable("DOCKER_CONFIG") ?? user.path(".docker"))/config.json"
    }

    func linkFolder(for user: SetupUser) -> String? { nil }

    func unspeakableWord(_ call: SetupCall) -> String? { nil }

    func namesLinkByPath(_ state: ConfigurationState) -> Bool { false }

    func newFile(_ call: SetupCall) -> String { Self.newFile + "\n" }

    /// The content of a new file; an edit of an existing object never looks like this.
    ///
    /// This is how uninstall recognises a file that install created.
    private static let newFile = "{ \(ownMember) }"
    private static let ownMember = "\"\(member)\": \"skr\""

    func instructions(_ call: SetupCall) -> [String] {
        [
            "in \(call.user.shown(path(for: call.user))):", "  \(Self.ownMember)",
        ]
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        ["remove from \(call.user.shown(path(for: call.user))):", "  \(Self.ownMember)"]
    }

    func state(for user: SetupUser) -> ConfigurationState {
        let path = path(for: user)
        do throws(CommandError) {
            guard let text = try ConfigurationFile(path).text else { return .none }
            let store = try text.bytes.withBytes { bytes throws(CommandError) -> String? in
                try refusing(path) { () throws(SetupRefusal) in try self.store(in: bytes)?.name }
            }
            guard let store, !store.isEmpty else { return .none }
            return store == "skr" ? .ours("\(Self.member): skr") : .other("\(Self.member): \(store)")
        } catch {
            return .unreadable(user.shown(path))
        }
    }

    package func edit(_ text: RawSpan) throws(SetupRefusal) -> TextEdit? {
        // docker treats an empty file as a file without settings.
        guard text.byteCount > 0 else { return TextEdit(0..<0, Self.newFile) }
        let json = try Self.members(of: text)
        guard let store = try store(in: text) else { return Self.insertion(into: json, text) }
        if store.name == "skr" { return nil }
        throw .taken(
            store.name.isEmpty ? "an empty \(Self.member)" : "the \(Self.member) \(Display.quoted(store.name))",
            hint: "to use skr, set it to \"skr\" by hand, and log in again: docker login SERVER")
    }

    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit? { try edit(text) }

    /// Returns the edit that adds the helper as the first member.
    ///
    /// The new member gets the white space that precedes the current first member.
    private static func insertion(into json: JSONMembers, _ text: RawSpan) -> TextEdit {
        let start = json.object.lowerBound + 1
        guard let first = json.members.first else {
            let hasLines = text.extracting(json.object).offset(of: UInt8(ascii: "\n")) != nil
            return TextEdit(start..<start, hasLines ? "\n\t\(ownMember)" : ownMember)
        }
        return TextEdit(start..<start, "\(String(lossy: text.extracting(start..<first.range.lowerBound)))\(ownMember),")
    }

    package func removal(from text: RawSpan) throws(SetupRefusal) -> SetupRemoval? {
        guard text.byteCount > 0, let store = try store(in: text), store.name == "skr" else { return nil }
        if text.isEqual(to: Self.newFile + "\n") { return .wholeFile }
        if text.isEqual(to: Self.newFile) { return .text(SecretBox(copying: text.extracting(0..<0))) }
        let json = try Self.members(of: text)
        let (members, range) = (json.members, store.member.range)
        guard text.extracting(range).isEqual(to: Self.ownMember),
            let place = members.firstIndex(where: { $0.range == range })
        else {
            throw .unclear(
                "its \(Self.member) is not in the form that 'skr helper install' writes",
                hint: "remove it by hand: \(String(lossy: text.extracting(range)))")
        }
        if place + 1 < members.count {
            let end = members[place + 1].range.lowerBound
            return .text(SecretBox(TextEdit(range.lowerBound..<end, "").apply(to: text)))
        }
        let start = place > 0 ? members[place - 1].range.upperBound : json.object.lowerBound + 1
        return .text(SecretBox(TextEdit(start..<range.upperBound, "").apply(to: text)))
    }

    /// Returns the member that names the helper, and that name.
    private func store(in text: RawSpan) throws(SetupRefusal) -> (name: String, member: JSONMembers.Member)? {
        guard text.byteCount > 0 else { return nil }
        // Go's JSON ignores case, and also treats U+017F as an s and U+212A as a k.
        let found = try Self.members(of: text).members.filter {
            $0.name.uppercased().lowercased() == Self.member.lowercased()
        }
        guard let member = found.first else { return nil }
        guard found.count == 1, case .found(let name) = JSONField.find(.root, in: text.extracting(member.value))
        else { throw .unclear("its \(Self.member) is not a string, or occurs twice") }
        return (name.withBytes { String(lossy: $0) }, member)
    }

    private static func members(of text: RawSpan) throws(SetupRefusal) -> JSONMembers {
        do throws(JSONMembers.NoObject) {
            return try JSONMembers(of: text)
        } catch {
            throw .unclear("it is not a JSON object")
        }
    }
}

extension DockerSetup {
    func remarks(on text: RawSpan, _ call: SetupCall) -> [CommandError] {
        let servers = Self.plainServers(in: text).map(Display.plain)
        guard let first = servers.first.map(Display.shellWord) else { return [] }
        let path = call.user.shown(path(for: call.user))
        return [
            .data(
                "\(path) contains unencrypted secrets of \(servers.joined(separator: ", "))",
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
