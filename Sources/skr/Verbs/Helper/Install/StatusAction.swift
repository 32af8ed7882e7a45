import CommandSupport
import Glibc

/// Shows which clients are set up.
struct StatusAction {
    let user: SetupUser
    /// The only client to show, by any of its names; `nil` for all clients.
    let client: String?
    let isJSON: Bool

    func run() throws {
        let names = client.map { [$0] } ?? HelperClients.all.map { $0.name }
        let rows = try names.flatMap { name in
            guard let client = HelperClients.serving(name) else { throw HelperClients.unknown(name) }
            return ClientStatus.all(of: client, name: name, user: user)
        }
        let titles: [TextTable.Column] = [
            .init("CLIENT", isNumber: false, rank: 3), .init("LINK", isNumber: false, rank: 0, isName: true),
            .init("CONFIGURATION", isNumber: false, rank: 1, isName: true),
            // Never shortened, because people copy it.
            .init("TO SET IT UP", isNumber: false, rank: 2),
        ]
        try Listing.show(rows, isJSON: isJSON, titles: titles, nothing: "no clients")
    }
}

/// The state of one client's setup.
private struct ClientStatus: ListedRow {
    let client: any HelperClient.Type
    let name: String
    let link: HelperLink?
    let setup: any ClientSetup
    let state: ConfigurationState
    let user: SetupUser

    /// Returns one status, or one for each link of a client that has several.
    static func all(of client: any HelperClient.Type, name: String, user: SetupUser) -> [ClientStatus] {
        let setup = client.setup(of: name)
        let state = setup.state(for: user)
        let folders = setup.linkFolder(for: user).map { [$0] } ?? user.searchPath
        func status(_ link: HelperLink?) -> ClientStatus {
            ClientStatus(client: client, name: name, link: link, setup: setup, state: state, user: user)
        }
        switch client.start {
        case .commandLine: return [status(nil)]
        case .link(let name, _, _):
            let links = folders.lazy.map { HelperLink(folder: $0, name: name) }
            return [status(links.first { unsafe access($0.path, X_OK) == 0 })]
        case .linkPerRegistry(let start):
            let links = folders.flatMap { folder in
                FolderNames.all(in: folder).filter { $0.hasPrefix(start) }.sorted()
                    .map { HelperLink(folder: folder, name: $0) }
            }
            return links.isEmpty ? [status(nil)] : links.map(status)
        }
    }

    /// The command that sets the client up; `nil` if it is set up already.
    private var command: String? {
        var end = setup is any WritableSetup ? " --write-config" : ""
        var isFound = link?.leadsToSkr ?? false || setup.namesLinkByPath(state)
        switch client.start {
        case .commandLine: isFound = true
        case .link: break
        case .linkPerRegistry: end = " REGISTRY"
        }
        if isFound, case .ours = state { return nil }
        return "skr helper install \(name)\(end)"
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
