import CommandSupport
import CredentialHelpers

/// docker, whose `config.json` names the helper of all servers.
package struct DockerSetup: FileSetup {
    private static let member = "credsStore"

    package init() {}

    func path(for user: SetupUser) -> String {
        "\(user.variable("DOCKER_CONFIG") ?? user.path(".docker"))/config.json"
    }

    func newFile(_ call: SetupCall) -> String { Self.newFile + "\n" }

    /// Laid out as no change to an object that is there is: so we know it again.
    private static let newFile = "{ \"\(member)\": \"skr\" }"

    func instructions(_ call: SetupCall) -> [String] {
        [
            "in \(call.user.shown(path(for: call.user))):", "  \"\(Self.member)\": \"skr\"",
            "for podman, buildah and skopeo, in ${XDG_RUNTIME_DIR}/containers/auth.json:",
            "  \"credHelpers\": { \"registry.example.com\": \"skr\" }",
        ]
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        ["take out of \(call.user.shown(path(for: call.user))):", "  \"\(Self.member)\": \"skr\""]
    }

    func state(of text: RawSpan) throws(SetupRefusal) -> ConfigurationState {
        guard let store = try store(in: text), !store.name.isEmpty else { return .none }
        return store.name == "skr" ? .ours("\(Self.member): skr") : .other("\(Self.member): \(store.name)")
    }

    package func edit(_ text: RawSpan) throws(SetupRefusal) -> TextEdit? {
        // docker takes an empty file for one that says nothing.
        guard text.byteCount > 0 else { return TextEdit(0..<0, Self.newFile) }
        let json = try Self.members(of: text)
        if let store = try store(in: text) {
            if store.name == "skr" { return nil }
            guard store.name.isEmpty else {
                throw .taken(
                    "the \(Self.member) \(Display.quoted(store.name))",
                    hint: "to change it, put \"skr\" in its place, and log in again: docker login SERVER")
            }
            return TextEdit(store.member.value, "\"skr\"")
        }
        return Self.insertion(into: json, text)
    }

    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit? { try edit(text) }

    /// As the first member, with the white space that is before the first one now.
    private static func insertion(into json: JSONMembers, _ text: RawSpan) -> TextEdit {
        let start = json.object.lowerBound + 1
        let said = "\"\(member)\": \"skr\""
        guard let first = json.members.first else {
            let hasLines = text.extracting(json.object).offset(of: UInt8(ascii: "\n")) != nil
            return TextEdit(start..<start, hasLines ? "\n\t\(said)" : said)
        }
        return TextEdit(start..<start, "\(String(lossy: text.extracting(start..<first.range.lowerBound)))\(said),")
    }

    package func removal(from text: RawSpan) throws(SetupRefusal) -> AppendedLines.Removal? {
        guard text.byteCount > 0, let store = try store(in: text), store.name == "skr" else { return nil }
        let json = try Self.members(of: text)
        if Self.isEqual(text, Self.newFile + "\n") { return .wholeFile }
        if Self.isEqual(text, Self.newFile) { return .edit(TextEdit(0..<text.byteCount, "")) }
        let (members, range) = (json.members, store.member.range)
        guard let place = members.firstIndex(where: { $0.range == range }) else { return nil }
        if place + 1 < members.count {
            return .edit(TextEdit(range.lowerBound..<members[place + 1].range.lowerBound, ""))
        }
        let start = place > 0 ? members[place - 1].range.upperBound : json.object.lowerBound + 1
        return .edit(TextEdit(start..<range.upperBound, ""))
    }

    private static func isEqual(_ text: RawSpan, _ other: String) -> Bool {
        text.byteCount == other.utf8.count && text.starts(with: Array(other.utf8))
    }

    /// What names the helper now.
    private func store(in text: RawSpan) throws(SetupRefusal) -> (name: String, member: JSONMembers.Member)? {
        guard text.byteCount > 0 else { return nil }
        // As Go's JSON does, which does not tell upper from lower case.
        let found = try Self.members(of: text).members.filter { $0.name.lowercased() == Self.member.lowercased() }
        guard let member = found.first else { return nil }
        guard found.count == 1, case .found(let name) = JSONField.find(.root, in: text.extracting(member.value))
        else { throw .unclear("its \(Self.member) is not one text") }
        return (name.withBytes { String(lossy: $0) }, member)
    }

    private static func members(of text: RawSpan) throws(SetupRefusal) -> JSONMembers {
        do throws(JSONMembers.NoObject) {
            return try JSONMembers(of: text)
        } catch {
            throw .unclear("it is not JSON, or no object")
        }
    }
}

extension DockerSetup {
    func remarks(on text: RawSpan, _ call: SetupCall) -> [CommandError] {
        let plain = Self.plainServers(in: text).map(Display.plain)
        let own = Self.ownHelpers(in: text).map(Display.plain)
        var remarks: [CommandError] = []
        if let first = plain.first {
            remarks.append(
                .data(
                    "\(call.user.shown(path(for: call.user))) holds in plain the secrets of \(plain.joined(separator: ", "))",
                    hint:
                        "this moves one: docker logout \(Display.shellWord(first)); docker login \(Display.shellWord(first))"
                ))
        }
        if !own.isEmpty {
            remarks.append(
                .data(
                    "these servers have a helper of their own, and keep it: \(own.joined(separator: ", "))",
                    hint: "to change that, take them out of credHelpers"))
        }
        return remarks
    }

    /// The servers whose secret stands in the file itself.
    package static func plainServers(in text: RawSpan) -> [String] {
        members("auths", of: text) { server in
            guard let fields = try? JSONMembers(of: server) else { return false }
            return fields.members.contains { field in
                ["auth", "password", "identitytoken", "registrytoken"].contains(field.name.lowercased())
                    && field.value.count > 2
            }
        }
    }

    /// The servers that have another helper than us.
    package static func ownHelpers(in text: RawSpan) -> [String] {
        members("credHelpers", of: text) { value in String(lossy: value) != "\"skr\"" }
    }

    private static func members(_ name: String, of text: RawSpan, where isMeant: (RawSpan) -> Bool) -> [String] {
        guard let json = try? JSONMembers(of: text),
            let member = json.members.last(where: { $0.name.lowercased() == name.lowercased() })
        else { return [] }
        let object = text.extracting(member.value)
        guard let servers = try? JSONMembers(of: object) else { return [] }
        return servers.members.filter { isMeant(object.extracting($0.value)) }.map(\.name)
    }
}
