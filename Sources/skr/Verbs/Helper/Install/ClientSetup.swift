import CommandSupport
import SystemPackage

/// The configuration that makes a client use its helper.
protocol ClientSetup: Sendable {
    /// Returns the lines that the user adds by hand; lines to copy are indented.
    ///
    /// The result is empty if the client is set up and there isn't any more to add.
    func instructions(_ call: SetupCall) -> [String]

    /// Returns the lines that the user removes by hand, in the same form.
    ///
    /// The result is empty if the client is not set up.
    func removalInstructions(_ call: SetupCall) -> [String]

    func state(for user: SetupUser) -> ConfigurationState

    /// Returns whether a configuration in this state names the link by its path, so that PATH doesn't matter.
    func namesLinkByPath(_ state: ConfigurationState) -> Bool

    /// Returns a word that the client would have to quote but can't, because it doesn't understand quotes.
    func unspeakableWord(_ call: SetupCall) -> String?

    /// Returns the only folder in which the client looks for its helper; `nil` if it searches PATH.
    func linkFolder(for user: SetupUser) -> String?
}

extension ClientSetup {
    func namesLinkByPath(_ state: ConfigurationState) -> Bool { false }

    func unspeakableWord(_ call: SetupCall) -> String? { nil }

    func linkFolder(for user: SetupUser) -> String? { nil }
}

/// The helper that a client's configuration names.
///
/// No part of it is a secret.
enum ConfigurationState: Equatable {
    case none
    /// The configuration names us.
    case ours(String)
    /// The configuration names another helper.
    case other(String)
    /// The configuration can't be read or understood.
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

/// A client, and the options with which the user sets it up.
struct SetupCall {
    /// The client's name as the user wrote it.
    let name: String
    let client: any HelperClient.Type
    let setup: any ClientSetup
    let user: SetupUser
    /// The folder of the link, if the user named one.
    let folder: String?
    /// For npm, the registry.
    let registry: String?
    /// The options that the client must pass to its helper.
    let options: [String]

    init(
        _ name: String, registry: String?, folder: String?, options: [String], user: SetupUser
    ) throws(CommandError) {
        guard let client = HelperClients.serving(name) else { throw HelperClients.unknown(name) }
        let needsRegistry = if case .linkPerRegistry = client.start { true } else { false }
        guard needsRegistry == (registry != nil) else {
            throw .usage(
                registry == nil
                    ? "\(name) needs a link for each registry"
                    : "\(name) takes no second name: \(Display.quoted(registry ?? ""))",
                hint: registry == nil
                    ? "name the item that has the token: skr helper install \(name) work" : "remove the second name")
        }
        if let registry, !registry.utf8.allSatisfy({ $0.isNameByte }) || registry.isEmpty {
            throw .usage(
                "\(Display.quoted(registry)) can't be part of a link's name",
                hint: "use letters, digits, '.', '_' and '-'")
        }
        guard folder?.isEmpty != true else {
            throw .usage("--dir is empty", hint: "remove it, or name the folder for the link")
        }
        self.name = name
        self.client = client
        setup = client.setup(of: name)
        self.user = user
        self.folder = folder.map { Self.absolute(FilePath($0)).string }
        self.registry = registry
        self.options = options
    }

    /// The options quoted for a shell, each preceded by a space.
    var shellOptions: String { HelperOptions.quoted(options) }

    /// Returns the line that stores an item where the client's helper looks for it.
    func storing(_ item: String) -> String { "  skr set \(item)\(shellOptions)" }

    /// The name by which the client starts its helper; `nil` if it uses a command line.
    var linkName: String? { client.start.linkName(registry: registry) }

    /// Returns the link that exists or that install would create.
    ///
    /// An existing link in PATH is as good as our own.
    func link() throws(CommandError) -> HelperLink? {
        guard let linkName else { return nil }
        if let link = ownLink, folder != nil || setup.linkFolder(for: user) != nil { return link }
        let links = user.searchPath.lazy.map { HelperLink(folder: $0, name: linkName) }
        if let link = links.first(where: { $0.state == .here }) ?? ownLink { return link }
        throw CommandError(
            exitCode: .noPermission, message: "can't write to \(Display.quoted(user.path(".local/bin")))",
            hint: "choose a folder that you can write to: --dir FOLDER")
    }

    /// The link in the folder where install creates links.
    private var ownLink: HelperLink? {
        guard let linkName, let folder = folder ?? setup.linkFolder(for: user) ?? LinkFolder.usual(for: user) else {
            return nil
        }
        return HelperLink(folder: folder, name: linkName)
    }

    /// The link's path as configurations name it.
    var linkPath: String { (try? link())??.path ?? linkName ?? "skr" }

    /// Our link, if install has created it.
    ///
    /// If the folder is not in the user's home, a link to another `skr` counts as somebody else's, unless the user
    /// named the folder.
    var installedLink: HelperLink? {
        guard let link = ownLink, link.isInstalled else { return nil }
        return link.state == .here || folder != nil || link.folder.hasPrefix("\(user.home)/") ? link : nil
    }

    /// Returns the error if only the user may create or remove the link, and the lines that do it.
    ///
    /// A folder that the user named, and the machine's, aren't checked.
    func refusal(to change: String, _ link: HelperLink) -> (lines: [String], error: CommandError)? {
        guard folder == nil, link.folder != LinkFolder.ofMachine else { return nil }
        do throws(SetupRefusal) {
            try LinkFolder.requireOwn(link.folder, of: user)
            return nil
        } catch {
            let (folder, path) = (Display.shellWord(link.folder), Display.shellWord(link.path))
            let make = ["  mkdir -p \(folder)", "  ln -s \(Display.shellWord(user.executable)) \(path)"]
            let refusal = CommandError(
                exitCode: error.exitCode,
                message: "did not \(change) the link \(Display.quoted(link.path)): \(error.reason)",
                hint: error.hint ?? "\(change) it by hand, as the printed lines show")
            return (["to \(change) the link:"] + (change == "create" ? make : ["  rm \(path)"]), refusal)
        }
    }

    /// The place where the configuration already names us.
    var namedPlace: String? {
        guard case .ours(let place) = setup.state(for: user) else { return nil }
        return Display.plain(place)
    }

    /// Refuses words that the client would have to quote but can't.
    func requirePlainWords() throws(CommandError) {
        guard let word = setup.unspeakableWord(self) else { return }
        throw .usage(
            "\(Display.quoted(word)) has characters that the configuration of \(name) can't hold",
            hint: linkName == nil
                ? "use a path and options without such characters"
                : "use a folder (--dir) and options without such characters")
    }

    /// Returns the folder's absolute path as PATH would name it.
    ///
    /// A path with `..` is not simplified, because the `..` can come after a link.
    private static func absolute(_ folder: FilePath) -> FilePath {
        let path = FilePath(workingFolder).pushing(folder)
        return path.components.contains { $0.kind == .parentDirectory } ? path : path.lexicallyNormalized()
    }

    private static var workingFolder: String { (try? WalkedPath.linkTarget("/proc/self/cwd")) ?? "." }
}

extension UInt8 {
    fileprivate var isNameByte: Bool { isLetter || isDigit || "._-".utf8.contains(self) }
}
