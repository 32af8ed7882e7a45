import CLinux
import CommandSupport
import Glibc
import SessionKeyring
import SystemPackage

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
        // An editor's byte order mark is not part of the first service.
        self.content = content.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(content.dropFirst(3)) : content
    }

    /// Reads the file; `nil` if sources are turned off or the file doesn't exist.
    ///
    /// - Throws: ``CommandError`` with 77 if other users could have written the file, or it isn't a text.
    static func read() throws(CommandError) -> SourcesFile? {
        guard let path = try usualPath() else { return nil }
        let home = try Variable.value("HOME")
        return try TrustedFile.read(path, home: home, limit: limit).map { SourcesFile($0, path: path) }
    }

    /// Returns the path of the file; `nil` if sources are turned off.
    static func usualPath() throws(CommandError) -> String? {
        // Another user may have set the variables of a process that has changed its user.
        guard getuid() == geteuid(), getgid() == getegid(), getauxval(UInt(AT_SECURE)) == 0 else { return nil }
        if let path = try Variable.value(variable) {
            if path == "none" { return nil }
            guard path.utf8.first == UInt8(ascii: "/") else {
                throw .usage("\(variable) is not an absolute path", hint: "set it to a path from '/', or to none")
            }
            return path
        }
        for (name, rest) in [("XDG_CONFIG_HOME", "/skr/sources"), ("HOME", "/.config/skr/sources")] {
            if let folder = try Variable.value(name), folder.utf8.first == UInt8(ascii: "/") { return folder + rest }
        }
        return nil
    }

    /// Appends the line of an item to the file, which it makes if necessary, unless another login has just done so.
    ///
    /// - Throws: ``CommandError`` with 73 if the file can't be written, or if its last line is not complete.
    static func append(
        _ line: String, for item: ItemIdentity, in place: Place, to path: String
    ) throws(CommandError) {
        func failure(_ reason: String) -> CommandError {
            CommandError(
                exitCode: .cannotCreate, message: "no line was added to \(Display.quoted(path)): \(reason)", hint: nil)
        }
        do {
            // The folder of the configuration, and skr's own one in it.
            let folder = FilePath(path).removingLastComponent()
            for folder in [folder.removingLastComponent(), folder] { unsafe mkdir(folder.string, 0o700) }
            let file = try unsafe FileDescriptor.open(
                path, .readWrite, options: [.append, .create, .closeOnExec], permissions: .ownerReadWrite)
            defer { try? file.close() }
            // Another login can add a line, too.
            flock(file.rawValue, LOCK_EX)
            let content = try InputFile.readAll(file, name: "the file", limit: limit)
            guard content.last ?? UInt8(ascii: "\n") == UInt8(ascii: "\n") else {
                throw failure("its last line is not complete")
            }
            let present = SourcesFile(content, path: path)
            guard try present.source(of: item, scope: place.scope, namespace: place.namespace) == nil else { return }
            let text = line + "\n"
            guard try unsafe text.utf8Span.span.bytes.withUnsafeBytes({ try unsafe file.write($0) }) == text.utf8.count
            else {
                ftruncate(file.rawValue, off_t(content.count))
                throw failure("no space is left")
            }
        } catch {
            throw error as? CommandError ?? failure(error.reason)
        }
    }

    /// Returns the source of exactly this item; `nil` if there isn't one.
    ///
    /// - Throws: ``CommandError`` with 65 if the item of any line can't be read, because it could be the wanted one.
    func source(of item: ItemIdentity, scope: Place.Scope, namespace: String) throws(CommandError) -> Source? {
        var found: Source?
        for line in lines where Self.canBe(of: item.service, line.element) {
            guard try self.item(of: line) == item,
                let source = try source(of: line), source.isFor(scope, namespace)
            else { continue }
            if let found {
                throw .data(
                    "\(Display.plain(path)): lines \(found.line) and \(source.line) are for the same item, "
                        + Display.name(of: item), hint: "remove one of them")
            }
            found = source
        }
        return found
    }

    /// Returns the items of all lines for this place; a line with an error in its options counts.
    ///
    /// An item with two lines is returned twice.
    ///
    /// - Parameter service: the service of the items; `nil` for all services.
    func items(
        of service: String? = nil, scope: Place.Scope, namespace: String
    ) throws(CommandError) -> [ItemIdentity] {
        let isUsual = scope == .session && namespace == SecretStore.defaultNamespace
        var items: [ItemIdentity] = []
        for line in lines where service.map({ Self.canBe(of: $0, line.element) }) ?? true {
            guard let item = try item(of: line),
                service.map({ $0 == item.service }) ?? true,
                isUsual && Self.isForUsualPlace(line.element)
                    || (try? source(of: line))?.isFor(scope, namespace) ?? true
            else { continue }
            items.append(item)
        }
        return items
    }

    /// Returns all sources, and the errors of the lines that have one.
    func all() -> [Result<Source, CommandError>] {
        lines.compactMap { line in
            do throws(CommandError) {
                return try source(of: line).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }
    }

    private typealias Line = (offset: Int, element: ArraySlice<UInt8>)

    private var lines: some Sequence<Line> {
        sequence(state: content[...]) { rest -> ArraySlice<UInt8>? in
            guard !rest.isEmpty else { return nil }
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            defer { rest = rest[end...].dropFirst() }
            return rest[..<end]
        }.enumerated()
    }

    /// Returns false if the line is surely for another service, so that it needn't be parsed.
    private static func canBe(of service: String, _ line: ArraySlice<UInt8>) -> Bool {
        let word = line.prefix(while: ShellWords.isPlain)
        let rest = line[word.endIndex...]
        guard let first = word.first, first != UInt8(ascii: "-"), rest.first?.isBlank ?? true else { return true }
        // An account that can't be read is an error for every lookup.
        let account = rest.drop { $0.isBlank }.prefix { !$0.isBlank }
        return !account.allSatisfy(ShellWords.isPlain) || word.elementsEqual(service.utf8)
    }

    /// Returns true if the line surely has no `--scope` and no `--namespace`, so that its options needn't be parsed.
    private static func isForUsualPlace(_ line: ArraySlice<UInt8>) -> Bool {
        var previous = UInt8(ascii: " ")
        for position in line.indices.dropLast(2) {
            let byte = line[position]
            if byte == UInt8(ascii: "-"), previous.isBlank {
                guard line[position + 1] == byte else { return false }
                let next = line[position + 2]
                if next.isBlank { return true }
                if next == UInt8(ascii: "s") || next == UInt8(ascii: "n") { return false }
            }
            if "'\"\\".utf8.contains(byte) { return false }
            previous = byte
        }
        return false
    }

    private func item(of line: Line) throws(CommandError) -> ItemIdentity? {
        try naming(line) { words throws(InputProblem) in try Source.item(&words) }
    }

    private func source(of line: Line) throws(CommandError) -> Source? {
        try naming(line) { words throws(InputProblem) in
            var rest = words
            if line.element.endIndex == content.endIndex, try rest.next() != nil {
                throw InputProblem(
                    summary: "the file ends within the line, as if a program were still writing it",
                    hint: "if the line is complete, end it with a newline")
            }
            return try Source(&words, line: line.offset + 1)
        }
    }

    /// Lets an error name the line.
    private func naming<Value>(
        _ line: Line, _ body: (inout ShellWords) throws(InputProblem) -> Value
    ) throws(CommandError) -> Value {
        var words = ShellWords(line.element)
        do throws(InputProblem) {
            return try body(&words)
        } catch {
            throw CommandError(error, at: "\(Display.plain(path)):\(line.offset + 1)")
        }
    }
}
