import CommandSupport

/// How a client is told of its helper.
protocol ClientSetup: Sendable {
    /// Whether a program can do that, and not only its user.
    var canBeWritten: Bool { get }

    /// What the user does by hand, a line each; those that are to be copied are indented.
    func instructions(_ call: SetupCall) -> [String]

    /// What is to be taken away by hand, in the same form.
    func removalInstructions(_ call: SetupCall) -> [String]

    func state(for user: SetupUser) -> ConfigurationState

    /// Makes the configuration; says what was changed, a line each.
    func write(_ call: SetupCall) throws(CommandError) -> [String]

    /// Takes the configuration away; says what was changed. Nothing where there was none.
    func remove(_ call: SetupCall) throws(CommandError) -> [String]

    /// The only folder where the client looks for its helper; `nil` for PATH.
    func linkFolder(for user: SetupUser) -> String?
}

extension ClientSetup {
    var canBeWritten: Bool { true }

    func linkFolder(for user: SetupUser) -> String? { nil }
}

/// What a client's configuration says of its helper.
///
/// Nothing of it is a secret.
enum ConfigurationState: Equatable {
    case none
    /// It names us.
    case ours(String)
    /// It names another helper.
    case other(String)
    /// It can't be read, or not with certainty.
    case unreadable(String)

    var text: String {
        switch self {
        case .none: "-"
        case .ours(let text): Display.plain(text)
        case .other(let text): "other: \(Display.plain(text))"
        case .unreadable(let path): "can't be read: \(path)"
        }
    }
}

/// A client, and what was asked for.
struct SetupCall {
    let client: HelperClient
    let setup: any ClientSetup
    let user: SetupUser
    /// The link's folder, where one is named.
    let folder: String?
    /// For npm, which registry.
    let registry: String?
    /// The options that the client is to give its helper, each with a space before it.
    let options: String

    init(
        _ name: String, registry: String?, folder: String?, options: String, user: SetupUser
    ) throws(CommandError) {
        guard let client = HelperClient(rawValue: name), let setup = Self.setups[name] else {
            throw HelperCommand.unknownClient(name)
        }
        guard (name == "npm") == (registry != nil) else {
            throw .usage(
                registry == nil ? "npm needs a link for each registry" : "\(name) has one helper only",
                hint: registry == nil
                    ? "name the registry, as you like: skr helper install npm work" : "leave out the second name")
        }
        if let registry, !registry.utf8.allSatisfy({ $0.isNameByte }) || registry.isEmpty {
            throw .usage(
                "\(Display.quoted(registry)) is no name for a link", hint: "use letters, digits, '.', '_' and '-'")
        }
        self.client = client
        self.setup = setup
        self.user = user
        self.folder = folder.map { $0.utf8.first == UInt8(ascii: "/") ? $0 : "\(Self.workingFolder)/\($0)" }
        self.registry = registry
        self.options = options
    }

    var name: String { client.rawValue }

    /// The name under which the client starts its helper; `nil` where it is given a command line.
    var linkName: String? { registry.map { "skr-npm-\($0)" } ?? (name == "npm" ? nil : client.programName) }

    /// Whether the client gives its helper options of the user's.
    var takesOptions: Bool { name == "git" || linkName == nil }

    /// The link there is or will be.
    func link() throws(CommandError) -> HelperLink? {
        guard let linkName else { return nil }
        if let folder = folder ?? setup.linkFolder(for: user) { return HelperLink(folder: folder, name: linkName) }
        let links = user.searchPath.map { HelperLink(folder: $0, name: linkName) }
        if let packaged = links.first(where: { $0.isPackaged && $0.state == .here }) { return packaged }
        return HelperLink(folder: try LinkFolder.usual(for: user), name: linkName)
    }

    /// The link's path, as configurations name it.
    var linkPath: String {
        let place = installedLink?.path ?? (try? link())??.path
        return place ?? linkName ?? "skr"
    }

    /// Our link, where it is found.
    var installedLink: HelperLink? {
        guard let linkName else { return nil }
        let folders = folder.map { [$0] } ?? setup.linkFolder(for: user).map { [$0] } ?? Self.usualFolders(for: user)
        return folders.lazy.map { HelperLink(folder: $0, name: linkName) }.first {
            switch $0.state {
            case .here, .otherSkr: !$0.isPackaged
            case .absent, .foreign: false
            }
        }
    }

    private static func usualFolders(for user: SetupUser) -> [String] {
        [user.path(".local/bin"), "/usr/local/bin"] + user.searchPath
    }

    private static var workingFolder: String { (try? LinkedPath.linkTarget("/proc/self/cwd")) ?? "." }
}

extension UInt8 {
    fileprivate var isNameByte: Bool { isLetter || isDigit || "._-".utf8.contains(self) }
}
