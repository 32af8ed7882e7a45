import Keyutils
public import SessionKeyring

/// docker's protocol, which podman, skopeo, helm and others speak too: docker-credential-helpers.
extension CredentialHelper {
    /// Answers `store`, `get`, `erase`, `list` and `version`.
    ///
    /// An item's service is the server as docker names it, and a server has one user. `list` gives the items of the kind
    /// `internet` whose service is the name of a registry (`ghcr.io`, `localhost:5000`) or the URL of its API
    /// (`https://index.docker.io/v1/`), for docker hands all of them to who builds: what git has stored is none of them.
    /// Errors are on standard output, with the exit status 1.
    ///
    /// - Parameters:
    ///   - operation: the last word of the command line.
    ///   - request: standard input.
    ///   - version: what `version` says.
    /// - Throws: ``SecretStoreError``.
    public func docker(
        _ operation: String, request: RawSpan, version: String
    ) throws(SecretStoreError) -> HelperAnswer {
        switch operation {
        case "store": try dockerStore(request)
        case "get": try dockerGet(request)
        case "erase": try dockerErase(request)
        case "list": try dockerList()
        case "version": HelperAnswer(output: "docker-credential-skr (SessionKeyring) v\(version)\n")
        default: Self.dockerError("Unknown credential action `\(operation)`")
        }
    }

    /// An error as docker shows it.
    public static func dockerError(_ text: String) -> HelperAnswer {
        HelperAnswer(exitCode: 1, output: text + "\n")
    }

    private func dockerStore(_ request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard let server = Self.text("ServerURL", in: request), let user = Self.text("Username", in: request),
            case .found(let secret) = JSONField.find(JSONPath("Secret"), in: request)
        else { return Self.dockerError("the request is not {\"ServerURL\":...,\"Username\":...,\"Secret\":...}") }
        if server.isEmpty { return Self.noServer }
        if user.isEmpty { return Self.dockerError("no credentials username") }
        // Before the new one is there: of two that store at once, neither may delete what the other has just stored. What
        // the user has set by hand is left.
        let others = try items(for: server).filter {
            $0.kind != .password && !$0.account.utf8.elementsEqual(user.utf8)
        }
        try store(SecretBox(secret), CredentialFields(), service: server, account: user)
        for other in others { try items.delete(other) }
        return .nothing
    }

    private func dockerGet(_ request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard let server = Self.server(request) else { return Self.noServer }
        // Who has logged in since is the one.
        let found = try items(for: server)
        for item in found.filter({ $0.kind != .password }) + found {
            // It may have expired since docker was told of it.
            guard let credential = try credential(item), credential.secret.isText else { continue }
            return HelperAnswer { text in
                text.append("{\"ServerURL\":")
                text.appendJSON(server)
                text.append(",\"Username\":")
                text.appendJSON(item.account)
                text.append(",\"Secret\":")
                text.appendJSON(credential.secret)
                text.append("}\n")
            }
        }
        return Self.dockerError("credentials not found in native keychain")
    }

    private func dockerErase(_ request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard let server = Self.server(request) else { return Self.noServer }
        for item in try items(for: server) { try items.delete(item) }
        return .nothing
    }

    private func items(for server: String) throws(SecretStoreError) -> [ItemIdentity] {
        try items { $0.service.utf8.elementsEqual(server.utf8) }
    }

    private func dockerList() throws(SecretStoreError) -> HelperAnswer {
        // What has no account is none of docker's: Terraform's hosts are called as registries are.
        let found = try items { $0.kind == .internet && !$0.account.isEmpty && Self.isRegistry($0.service) }
        var servers: Set<String> = []
        let listed = found.filter { servers.insert($0.service).inserted }
        return HelperAnswer { text in
            text.append("{")
            for (position, item) in listed.enumerated() {
                if position > 0 { text.append(",") }
                text.appendJSON(name: item.service)
                text.appendJSON(item.account)
            }
            text.append("}\n")
        }
    }

    /// Whether it is a registry's name, as docker tells it from an image's, or the URL of a registry's API.
    private static func isRegistry(_ service: String) -> Bool {
        guard let origin = Origin(service) else {
            let host = service.utf8.prefix { $0 != UInt8(ascii: "/") }
            return host.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
                || host.elementsEqual("localhost".utf8)
        }
        guard let path = origin.path, ["http", "https"].contains(origin.scheme) else { return false }
        return ["v1", "v2", "v1/", "v2/"].contains(path)
    }

    private static var noServer: HelperAnswer { dockerError("no credentials server URL") }

    /// The request without the white space around it; `nil` where nothing is left.
    private static func server(_ request: RawSpan) -> String? {
        var (start, end) = (0, request.byteCount)
        while start < end, JSONText.isBlank(request[start]) { start += 1 }
        while start < end, JSONText.isBlank(request[end - 1]) { end -= 1 }
        let text = SecretBox(copying: request.extracting(start..<end)).text
        return text?.isEmpty ?? true ? nil : text
    }

    private static func text(_ field: String, in request: RawSpan) -> String? {
        guard case .found(let value) = JSONField.find(JSONPath(field), in: request) else { return nil }
        return SecretBox(value).text
    }
}
