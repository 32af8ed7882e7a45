import CommandSupport
import Keyutils
import SessionKeyring

/// An account that logs in: its item, its place, and its source if a line of the sources file declares it.
struct OAuthAccount {
    let item: ItemIdentity
    let place: Place
    let declared: Source?
    /// The namespaces of all lines with this account, beginning with that of the caller.
    let namespaces: [String]

    init(service: String, account: String?, in place: Place) throws(CommandError) {
        let item = ItemIdentity.password(service: service, account: account ?? "")
        if let problem = item.problem {
            throw CommandError(SecretStoreError(.invalidName(problem, of: .item), item: item))
        }
        (self.item, self.place) = (item, place)
        var sources: [Source] = []
        for line in try SourcesFile.read()?.all() ?? [] {
            // A line with a mistake is reported if it is the wanted one.
            guard let source = try? line.get(), source.item == item, source.scope == place.scope else { continue }
            sources.append(source)
        }
        declared = try SourcesFile.read()?.source(of: item, scope: place.scope, namespace: place.namespace)
        var namespaces = [place.namespace]
        for source in sources where source.oauth.isGiven && !namespaces.contains(where: { $0 == source.namespace }) {
            namespaces.append(source.namespace)
        }
        self.namespaces = namespaces
    }

    var name: String { Display.name(of: item) }
}

/// The line of the sources file that declares an account.
struct DeclaredLine {
    let text: String

    /// - Returns: `nil` for a name that no line can have.
    init?(_ account: OAuthAccount, _ options: OAuthOptions) {
        let item = account.item
        guard item.account.utf8.first != UInt8(ascii: "-"), item.service.utf8.first != UInt8(ascii: "-") else {
            return nil
        }
        var words = [item.service] + (item.account.isEmpty ? [] : [item.account]) + options.lineWords
        if account.place.scope != .session { words += ["--scope", account.place.scope.rawValue] }
        if account.place.namespace != SecretStore.defaultNamespace {
            words += PlaceOptions.words("--namespace", account.place.namespace)
        }
        text = words.map(Self.quoted).joined(separator: " ")
        guard text.isOneLine else { return nil }
    }

    /// Quotes a word so that ``ShellWords`` reads it.
    private static func quoted(_ word: String) -> String {
        word.utf8.allSatisfy(ShellWords.isPlain) && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }

    /// The line as a source.
    func source() throws(CommandError) -> Source {
        var words = ShellWords(Array(text.utf8)[...])
        do throws(InputProblem) {
            if let source = try Source(&words, line: 0) { return source }
        } catch {
            throw .usage(error.summary, hint: error.hint)
        }
        throw .usage("the account can't be declared", hint: "use another name")
    }

    /// Appends the line to the file of the sources; otherwise prints it.
    func append() throws(CommandError) {
        let isUsual = try Variable.value(SourcesFile.variable) == nil
        guard isUsual, let path = try SourcesFile.usualPath() else {
            return Console.note("for the next session, add this line to your sources file: \(text)")
        }
        do throws(CommandError) {
            try SourcesFile.append(text, to: path)
            Console.note("for the next session, \(Display.quoted(path)) has a line for this account")
        } catch {
            Console.warn(error)
            Console.note("for the next session, add this line to your sources file: \(text)")
        }
    }
}
