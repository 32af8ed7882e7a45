import CLinux
import CommandSupport
import Glibc
import SessionKeyring

/// The user's file that declares where secrets come from, one per line.
///
/// A line is `SERVICE [ACCOUNT] [OPTIONS] -- COMMAND`. Only the lines of a wanted item are parsed completely.
struct SourcesFile {
    static let limit = 4 << 20

    /// The variable that names another file, or turns sources off.
    static let variable = "SKR_SOURCES"

    let path: String
    private let content: [UInt8]

    init(_ content: [UInt8], path: String) {
        self.path = path
        self.content = content
    }

    /// Reads the file; `nil` if sources are turned off or the file doesn't exist.
    ///
    /// - Throws: ``CommandError`` with 77 if other users could have written the file, or 65 for its content.
    static func read() throws(CommandError) -> SourcesFile? {
        guard let path = try usualPath() else { return nil }
        let home = try Place.environment("HOME")
        guard let content = try TrustedFile.read(path, home: home, limit: limit) else { return nil }
        guard !content.contains(0) else {
            throw .data("\(Display.quoted(path)) has a NUL byte", hint: "a sources file is text")
        }
        return SourcesFile(content, path: path)
    }

    /// Whether a source could run, and this process's first lookup could change its session.
    ///
    /// The lookup then has to be on a thread other than the one that starts the source (``LookupThread``). In a process
    /// that has a session keyring, a lookup changes nothing. request_key(2) finds the session keyring of a login by its
    /// name, and changes nothing either.
    static var needsLookupThread: Bool {
        if unsafe request_key("keyring", "_ses", nil, 0) >= 0 { return false }
        guard let path = try? usualPath() else { return false }
        return unsafe access(path, F_OK) == 0
    }

    /// Returns the path of the file; `nil` if sources are turned off.
    static func usualPath() throws(CommandError) -> String? {
        // Another user may have set the variables of a process that has changed its user.
        guard getuid() == geteuid(), getgid() == getegid(), getauxval(UInt(AT_SECURE)) == 0 else { return nil }
        if let path = try Place.environment(variable) {
            if path == "none" { return nil }
            guard path.utf8.first == UInt8(ascii: "/") else {
                throw .usage("\(variable) is not an absolute path", hint: "set it to a path from '/', or to none")
            }
            return path
        }
        for (name, rest) in [("XDG_CONFIG_HOME", "/skr/sources"), ("HOME", "/.config/skr/sources")] {
            if let folder = try Place.environment(name), folder.utf8.first == UInt8(ascii: "/") { return folder + rest }
        }
        return nil
    }

    /// Returns the source of exactly this item; `nil` if there isn't one.
    func source(of item: ItemIdentity, scope: Place.Scope, namespace: String) throws(CommandError) -> Source? {
        var found: Source?
        try forEachLine(of: item.service) { line, text throws(CommandError) in
            var words = ShellWords(text)
            // A bad line concerns only its own item.
            guard let named = try? Self.item(&words).item, named.hasName(of: item),
                let source = try parse(text, line), source.isFor(scope, namespace)
            else { return }
            if let found {
                throw .data(
                    "\(Display.plain(path)): lines \(found.line) and \(line) are for the same item, \(Display.name(of: item))",
                    hint: "remove one of them")
            }
            found = source
        }
        return found
    }

    /// Returns the items of all lines for this place; a line with an error in its options counts.
    ///
    /// - Parameter service: the service of the items; `nil` for all services.
    func items(
        of service: String? = nil, scope: Place.Scope, namespace: String
    ) throws(CommandError) -> [ItemIdentity] {
        var items: [ItemIdentity] = []
        try forEachLine(of: service) { line, text throws(CommandError) in
            do throws(CommandError) {
                guard let source = try parse(text, line), source.isFor(scope, namespace) else { return }
            } catch {}
            var words = ShellWords(text)
            if let item = try? Self.item(&words).item, !items.contains(item) { items.append(item) }
        }
        return items
    }

    /// Returns all sources, and the errors of the lines that have one.
    func all() -> [Result<Source, CommandError>] {
        var all: [Result<Source, CommandError>] = []
        var number = 0
        for text in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            do throws(CommandError) {
                if let source = try parse(text, number) { all.append(.success(source)) }
            } catch {
                all.append(.failure(error))
            }
        }
        return all
    }

    /// Calls `body` for each line whose item has this service, or for all lines with an item.
    ///
    /// - Throws: ``CommandError`` with 65 if the item of any line can't be read, because it could be the wanted one.
    private func forEachLine(
        of service: String?, _ body: (Int, ArraySlice<UInt8>) throws(CommandError) -> Void
    ) throws(CommandError) {
        var (start, number) = (0, 0)
        while start < content.count {
            number += 1
            let end = content[start...].firstIndex(of: UInt8(ascii: "\n")) ?? content.count
            let text = content[start..<end]
            start = end + 1
            switch Self.match(text, service) {
            case .other: continue
            case .wanted: try body(number, text)
            case .unclear:
                var words = ShellWords(text)
                let item: ItemIdentity?
                do throws(InputProblem) {
                    item = try Self.item(&words).item
                } catch {
                    throw CommandError(error, at: "\(Display.plain(path)):\(number)")
                }
                if let item, service.map({ $0.utf8.elementsEqual(item.service.utf8) }) ?? true {
                    try body(number, text)
                }
            }
        }
    }

    private enum Match { case other, wanted, unclear }

    /// Compares the first word of a line with the service, without splitting the line.
    ///
    /// Words with quotes, and characters that a shell would expand, are left to the complete parser.
    private static func match(_ text: ArraySlice<UInt8>, _ service: String?) -> Match {
        var rest = text.drop { $0.isBlank }
        guard let first = rest.first, first != UInt8(ascii: "#"), first != UInt8(ascii: "\r") else { return .other }
        guard let service, first != UInt8(ascii: "-") else { return .unclear }
        var isSame = true
        for position in 0..<2 {
            let word = rest.prefix { !$0.isBlank }
            if position == 1, let first = word.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "#") { break }
            for byte in word
            where byte < 0x20 || byte >= 0x7F || "'\"\\~".utf8.contains(byte) || ShellWords.isSpecial(byte) {
                return .unclear
            }
            if position == 0 { isSame = word.elementsEqual(service.utf8) }
            rest = rest[word.endIndex...].drop { $0.isBlank }
        }
        return isSame ? .wanted : .other
    }

    /// Parses the item at the beginning of a line; `nil` for a line without words.
    ///
    /// - Returns: the item, and the next word.
    private static func item(
        _ words: inout ShellWords
    ) throws(InputProblem) -> (item: ItemIdentity?, next: String?) {
        guard let service = try words.next() else { return (nil, nil) }
        guard !service.isEmpty, service.utf8.first != UInt8(ascii: "-") else { throw .noService }
        var (account, next) = ("", try words.next())
        if let word = next, word.utf8.first != UInt8(ascii: "-") { (account, next) = (word, try words.next()) }
        return (.password(service: service, account: account), next)
    }

    private func parse(_ text: ArraySlice<UInt8>, _ number: Int) throws(CommandError) -> Source? {
        var words = ShellWords(text)
        do throws(InputProblem) {
            let (item, next) = try Self.item(&words)
            guard let item else { return nil }
            return try Source(line: number, item: item, options: &words, first: next)
        } catch {
            throw CommandError(error, at: "\(Display.plain(path)):\(number)")
        }
    }
}

extension InputProblem {
    fileprivate static let noService = InputProblem(
        summary: "the line names no service", hint: "a line is SERVICE [ACCOUNT] [OPTIONS] -- COMMAND")
}
