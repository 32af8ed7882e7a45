import CommandSupport
import Glibc

/// Shows which clients are set up.
struct StatusAction: VerbAction {
    let user: SetupUser
    let isJSON: Bool

    func run() throws {
        let rows = HelperClient.allCases.flatMap { client in
            ClientStatus.all(of: client, user: user)
        }
        guard !isJSON else { return try Console.writeLine(JSONOutput.text(of: rows.map(\.json))) }
        guard Console.isOutputTerminal else {
            return try Console.write(rows.map { $0.columns.joined(separator: "\t") + "\n" }.joined())
        }
        let table = TextTable(
            columns: [
                .init("CLIENT", isNumber: false, rank: 2), .init("LINK", isNumber: false, rank: 0, isName: true),
                .init("CONFIGURATION", isNumber: false, rank: 1, isName: true),
            ], rows: rows.map(\.columns))
        try Console.write(table.text(width: TerminalWidth.of(STDOUT_FILENO)))
    }
}

/// How far a client is set up.
private struct ClientStatus {
    let client: HelperClient
    let link: HelperLink?
    let state: ConfigurationState
    let user: SetupUser

    /// One, or one for each link of a client that has several.
    static func all(of client: HelperClient, user: SetupUser) -> [ClientStatus] {
        let setup = client.setup
        let state = setup.state(for: user)
        let folders = setup.linkFolder(for: user).map { [$0] } ?? user.searchPath
        let links = client == .npm ? registryLinks(in: folders) : []
        guard links.isEmpty else {
            return links.map { ClientStatus(client: client, link: $0, state: state, user: user) }
        }
        let link = client.programName.flatMap { name in
            folders.lazy.map { HelperLink(folder: $0, name: name) }.first { unsafe access($0.path, X_OK) == 0 }
        }
        return [ClientStatus(client: client, link: link, state: state, user: user)]
    }

    private static func registryLinks(in folders: [String]) -> [HelperLink] {
        folders.flatMap { folder in
            FolderNames.all(in: folder).filter { $0.hasPrefix("skr-npm-") }.sorted()
                .map { HelperLink(folder: folder, name: $0) }
        }
    }

    var columns: [String] {
        [client.rawValue, link.map { user.shown($0.path) + remark(on: $0.state) } ?? "-", state.text]
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
            "client": .string(client.rawValue), "link": JSONValue(link?.path),
            "isLinkOurs": JSONValue(link.map { $0.state == .here }), "configuration": JSONValue(text),
            "isConfigured": JSONValue(isOurs),
        ])
    }
}
