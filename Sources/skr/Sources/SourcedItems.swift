import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// The items of a store and, for items that it lacks, the sources.
///
/// The sources file is read only when an item is missing. A source counts only if the store has no item of that service
/// and account, of whatever kind.
final class SourcedItems: ItemSource {
    let store: SecretStore
    private let place: Place
    private let usesSources: Bool
    private let warns: Bool
    // Only one thread uses them.
    private nonisolated(unsafe) var file: SourcesFile?
    private nonisolated(unsafe) var isFileRead = false
    private nonisolated(unsafe) var fetched: [(item: ItemIdentity, secret: SecretBox, end: Int64?)] = []

    init(_ store: SecretStore, of place: Place, usesSources: Bool = true, warns: Bool = true) {
        (self.store, self.place, self.usesSources, self.warns) = (store, place, usesSources, warns)
    }

    /// Returns the source of exactly this item, if the store has no such item; `nil` if there isn't one.
    func source(of item: ItemIdentity) throws(CommandError) -> Source? {
        guard item.kind == .password,
            let source = try sourcesFile()?.source(of: item, scope: place.scope, namespace: place.namespace),
            try !CommandError.translating({ try store.hasSecret(of: item) })
        else { return nil }
        return source
    }

    /// Returns the secret of a source, whose command runs only once, even if its output can't be stored.
    func secret(of source: Source) throws(CommandError) -> SecretBox {
        if let known = unsafe fetched.first(where: { $0.item == source.item }) { return known.secret }
        let (secret, end) = try source.secret(in: store, of: place, warns: warns)
        unsafe fetched.append((source.item, secret, end))
        return secret
    }

    private func sourcesFile() throws(CommandError) -> SourcesFile? {
        guard usesSources else { return nil }
        if unsafe !isFileRead {
            unsafe file = try SourcesFile.read()
            unsafe isFileRead = true
        }
        return unsafe file
    }

    /// Returns whether a line of the file is for such an item; after an error, which it reports, it returns true.
    func declares(_ isMeant: (ItemIdentity) -> Bool) -> Bool {
        do throws(CommandError) {
            return try declared().contains(where: isMeant)
        } catch {
            Console.warn(error)
            return true
        }
    }

    func declared(of service: String? = nil) throws(CommandError) -> [ItemIdentity] {
        try sourcesFile()?.items(of: service, scope: place.scope, namespace: place.namespace) ?? []
    }

    /// Returns the items of the store, and those of the sources that it doesn't hide.
    func identities(with declared: [ItemIdentity]) throws(SecretStoreError) -> [ItemIdentity] {
        let items = try store.identities()
        // Not a set, for which Swift's runtime would search all types of the program.
        let hidden = items.filter(\.kind.isOfSecrets).map {
            ItemIdentity.password(service: $0.service, account: $0.account)
        }
        var found = items
        for item in declared {
            if hidden.contains(item), try store.hasSecret(of: item) { continue }
            found.append(item)
        }
        return found
    }

    // A helper's lookup. Only the first choice counts: if its source fails, the lookup fails too.

    /// If the sources file has a mistake, the items of the store are found in spite of it.
    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        let sources: [ItemIdentity]
        do throws(CommandError) {
            sources = try declared()
        } catch {
            guard warns else { throw SecretStoreError(.source(reason: error.message, hint: error.hint)) }
            Console.warn(error)
            sources = []
        }
        return try identities(with: sources)
    }

    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        if let bytes = try store.bytes(of: item) { return bytes }
        let secret = try asLookup { () throws(CommandError) -> SecretBox? in
            guard let source = try source(of: item) else { return nil }
            return try self.secret(of: source)
        }
        // An item that is stored in the meantime hides its source.
        guard let secret else { return try store.get(item) }
        return secret.bytes.withBytes { SecretBytes(copying: $0) }
    }

    /// Converts the error of a source to one of a lookup.
    private func asLookup<Value>(_ body: () throws(CommandError) -> Value) throws(SecretStoreError) -> Value {
        do throws(CommandError) {
            return try body()
        } catch {
            throw SecretStoreError(.source(reason: error.message, hint: error.hint))
        }
    }

    // A helper that reads calls none of the other functions, which have defaults.

    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try store.set(secret, for: item, lasting: Lifetime(timeout))
    }

    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try store.delete(item) }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        if let stored = try store.attributes(of: item) { return stored }
        // The secret of a source that ends too soon to be stored.
        guard let (_, secret, end) = unsafe fetched.first(where: { $0.item == item }), let end else { return nil }
        let left = KeyTimeLeft(atLeast: .seconds(max(end - Int64(time(nil)), 0)), precision: .seconds(1))
        return ItemAttributes(
            item: item, size: secret.count, expiry: .after(left), serial: KeySerial(rawValue: 0), userID: 0, groupID: 0,
            permissions: [])
    }
}

/// A store without items, from which a helper's protocol makes its answer if a source has failed.
struct NoItems: ItemSource {
    func identities() -> [ItemIdentity] { [] }
    func get(_ item: ItemIdentity) -> SecretBytes? { nil }
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) {}
    func delete(_ item: ItemIdentity) -> Bool { false }
}

extension SecretStoreError {
    /// Whether a source has failed, and not the store.
    var isOfSource: Bool {
        if case .source = detail { true } else { false }
    }
}

extension Source {
    /// Returns the secret: the stored one, or else the new one that the command prints for all who ask, with its end.
    func secret(
        in store: SecretStore, of place: Place, warns: Bool = true
    ) throws(CommandError) -> (secret: SecretBox, end: Int64?) {
        let request = try request(in: place, warns: warns)
        // An error here is the caller's, and not one of the command.
        _ = try request.settings(in: store)
        let fetched = try CommandError.translating {
            do {
                return try request.fetched(in: store)
            } catch let error as CommandError {
                throw failure(error.message, hint: error.hint)
            } catch let error as SecretStoreError where error.code == .leaseHeld {
                throw failure("another process still runs it", hint: "end that process, or try again later")
            }
        }
        if let end = fetched.end, end.isInterrupted { end.endWithSignal() }
        guard let output = fetched.output else { throw failure(CapturedOutput.tooLarge.message, hint: nil) }
        guard output.exitCode == 0 else { throw failure(of: output, isNew: fetched.end != nil, in: place) }
        if let problem = fetched.problem { request.warn(problem) }
        return (output.bytes, output.end)
    }

    /// Returns the request for the declared part of the output, which is kept for whichever command line printed it.
    func request(in place: Place, warns: Bool = true) throws(CommandError) -> OutputRequest {
        let home = try Variable.value("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let words = try oauth.isGiven ? oauth.command("token", item, in: place, namespaces: [namespace]) : command
        let policy = OutputPolicy(
            sameness: .name, warns: warns,
            limitHint: "if it needs longer, add --limit 10m to line \(line) of the sources file",
            forgottenExitCode: oauth.isGiven ? ExitCode.noItem.rawValue : 0,
            waitingNote: "\(Display.name(of: item)): another process runs its source; waiting for it",
            fresh: answer)
        return OutputRequest(
            place: place, item: item, timeout: timeout, failureTimeout: failureTimeout > .zero ? failureTimeout : nil,
            limit: limit, folder: home ?? "/", removedVariables: ["SKR_SCOPE", "SKR_NAMESPACE", "SKR_TIMEOUT"],
            command: CommandLineWords(leaking: words), policy: policy)
    }

    func answer(
        fresh printed: SecretBox, keptFor timeout: Duration?
    ) throws(CommandError) -> (Output, Duration?) {
        let secret = try printed.bytes.withBytes { bytes throws(CommandError) in try part(of: bytes) }
        guard secret.count > 0 else {
            throw .data("the command printed no secret", hint: "run the command by hand, and look at its output")
        }
        let left = try OutputLifetime.limit(timeout, by: lifetimePath, of: printed)
        let end = left.map { Int64(time(nil)) + $0.components.seconds }
        return (Output(SecretBox(secret), end: end), left.map { $0 - endEarly })
    }

    private func part(of bytes: RawSpan) throws(CommandError) -> SecretBytes {
        let end: Int
        switch part {
        case .raw: end = bytes.byteCount
        case .text: end = bytes.countWithoutNewline
        case .firstLine: end = bytes.offset(of: UInt8(ascii: "\n")) ?? bytes.byteCount
        case .field(let path): return try JSONField.extract(path, from: bytes, of: "the output")
        }
        return SecretBytes(copying: bytes.extracting(first: end))
    }

    private func failure(of output: Output, isNew: Bool, in place: Place) -> CommandError {
        if oauth.isGiven, output.exitCode == ExitCode.noItem.rawValue {
            return CommandError(
                exitCode: .noItem, message: "\(Display.name(of: item)): not logged in",
                hint: "skr login \(typedName)\(Place.options(scope, namespace, insteadOf: place))")
        }
        guard isNew else {
            return failure(
                "it failed moments ago with exit code \(output.exitCode), and is not run again yet",
                hint: "'skr delete \(typedName)' ends this wait")
        }
        return failure(
            "\(Display.quoted(command[0])) ended with exit code \(output.exitCode)",
            hint: oauth.isGiven ? nil : "run it by hand; line \(line) of the sources file has the command")
    }

    /// The item's name as a user types it.
    var typedName: String {
        [item.service, item.account].filter { !$0.isEmpty }.map(Display.shellWord).joined(separator: " ")
    }

    private func failure(_ reason: String, hint: String?) -> CommandError {
        CommandError(
            exitCode: .tryAgain, message: "\(Display.name(of: item)): its source failed: \(reason)", hint: hint)
    }
}
