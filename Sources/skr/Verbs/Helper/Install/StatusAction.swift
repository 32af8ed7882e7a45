import CommandSupport
import Glibc

/// Shows which clients are set up.
struct StatusAction: VerbAction {
    let user: SetupUser
    /// Only this client, by any of its names.
    let client: String?
    let isJSON: Bool

    func run() throws {
        let names = client.map { [$0] } ?? HelperClient.allCases.map(\.rawValue)
        let rows = try names.flatMap { name in
            guard let client = HelperClient.serving(name) else { throw HelperCommand.unknownClient(name) }
            return ClientStatus.all(of: client, name: name, user: user)
        }
        guard !isJSON else { return try Console.writeLine(JSONOutput.text(of: rows.map(\.json))) }
        guard Console.isOutputTerminal else {
            return try Console.write(rows.map { $0.columns.joined(separator: "\t") + "\n" }.joined())
        }
        let table = TextTable(
            columns: [
                .init("CLIENT", isNumber: false, rank: 3), .init("LINK", isNumber: false, rank: 0, isName: true),
                .init("CONFIGURATION", isNumber: false, rank: 1, isName: true),
                .init("TO SET IT UP", isNumber: false, rank: 2, isName: true),
            ], rows: rows.map(\.columns))
        try Console.write(table.text(width: TerminalWidth.of(STDOUT_FILENO)))
    }
}

/// How far a client is set up.
private struct ClientStatus {
    let client: HelperClient
    let name: String
    let link: HelperLink?
    let setup: any ClientSetup
    let state: ConfigurationState
    let user: SetupUser

    /// One, or one for each link of a client that has several.
    static func all(of client: HelperClient, name: String, user: SetupUser) -> [ClientStatus] {
        let setup = HelperClient.setup(name, servedBy: client)
        let state = setup.state(for: user)
        let folders = setup.linkFolder(for: user).map { [$0] } ?? user.searchPath
        func status(_ link: HelperLink?) -> ClientStatus {
            ClientStatus(client: client, name: name, link: link, setup: setup, state: state, user: user)
        }
        let links = client == .npm ? registryLinks(in: folders) : []
        guard links.isEmpty else { return links.map(status) }
        let link = client.programName.flatMap { name in
            folders.lazy.map { HelperLink(folder: $0, name: name) }.first { unsafe access($0.path, X_OK) == 0 }
        }
        return [status(link)]
    }

    /// The command that sets the client up; `nil` if it is.
    private var command: String? {
        let needsLink = client.programName != nil || client == .npm
        if case .ours(let text) = state {
            // git may name the link by its path.
            let isFound = link?.leadsToSkr ?? false || (client == .git && text.hasPrefix("/"))
            if isFound || !needsLink { return nil }
        }
        let end = client == .npm ? " REGISTRY" : setup is any FileSetup ? " --write-config" : ""
        return "skr helper install \(name)\(end)"
    }

    private static func registryLinks(in folders: [String]) -> [HelperLink] {
        folders.flatMap { folder in
            FolderNames.all(in: folder).filter { $0.hasPrefix("skr-npm-") }.sorted()
                .map { HelperLink(folder: folder, name: $0) }
        }
    }

    var columns: [String] {
        [name, link.map { user.shown($0.path) + remark(on: $0.state) } ?? "-", state.text, command ?? "-"]
    }

    private func remark(on state: HelperLink.State) -> String {
        switch state {
        case .here, .absent: ""
        case .otherSkr(let target): " (to \(user.shown(target)))"
        case .foreign(let what): " (\(what))"
        }
    }

    /// The names are a promise to scripts.
    var json: JSONValue {
        var (isOurs, text): (Bool?, String?) = (false, nil)
        switch state {
        case .none: break
        case .ours(let said): (isOurs, text) = (true, said)
        case .other(let said): text = said
        case .unreadable(let path): (isOurs, text) = (nil, path)
        }
        return .object([
            "client": .string(name), "link": JSONValue(link?.path),
            "isLinkOurs": JSONValue(link.map { $0.state == .here }), "configuration": JSONValue(text),
            "isConfigured": JSONValue(isOurs), "command": JSONValue(command),
        ])
    }
}
