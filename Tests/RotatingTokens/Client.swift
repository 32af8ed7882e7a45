import Foundation
import SessionKeyring

/// A client that keeps its token in one slot, like all other clients of the test.
struct Client: Sendable {
    private let gates: Gates
    private let server: RotatingServer
    private let slot: SecretSlot<RotatingServer.Token>

    init(keyring: String, directory: URL) throws {
        gates = Gates(directory: directory)
        server = RotatingServer(directory: directory)
        let store = try SecretStore(.keyring(KeySerial(rawValue: Int32(keyring) ?? 0)))
        slot = store.slot(
            for: .password(service: "rotating", account: "alice"), as: RotatingServer.Token.self, lasting: .scope)
    }

    /// Asks for the token, at the same time as all other clients.
    func ask() async {
        await begin()
        printLines([await answer(FetchOptions())])
    }

    /// Cancels the task group with the only caller of this process, while the closure of its fetch runs.
    func cancelTheOnlyCaller() async {
        await begin()
        let (fetches, fetchBegan) = AsyncStream<Void>.makeStream()
        let answers = await withTaskGroup(of: String.self) { group in
            group.addTask { await answer(FetchOptions()) { fetchBegan.yield() } }
            _ = await fetches.first { _ in true }
            group.cancelAll()
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        printLines(answers)
        await gates.pass(.end)
    }

    /// Asks for the token in several tasks, with a limit for the fetch.
    ///
    /// A failure is remembered, so that no task begins another fetch.
    func ask(inTasks count: Int, limit: Duration) async {
        await begin()
        let options = FetchOptions(limit: limit, retryAfter: .seconds(600))
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<count { group.addTask { await answer(options) } }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        printLines(answers)
        await gates.pass(.end)
    }

    /// Waits until all clients are ready.
    private func begin() async {
        await gates.pass(.start)
        gates.note(.asking)
    }

    /// Returns the access token, or the reason why there isn't one.
    private func answer(_ options: FetchOptions, onFetch: @escaping @Sendable () -> Void = {}) async -> String {
        do {
            let token = try await slot.refreshedValue(options: options) { old in
                onFetch()
                return try await fetch(inPlaceOf: old)
            }
            return token.accessToken
        } catch is CancellationError {
            return "cancelled"
        } catch let error as SecretStoreError {
            return "\(error.code)"
        } catch {
            return "\(error)"
        }
    }

    private func fetch(inPlaceOf old: RotatingServer.Token?) async throws -> (RotatingServer.Token, Lifetime) {
        let token = if let old { try await refresh(old) } else { try await logIn() }
        return (token, .token(livingFor: .seconds(token.expiresIn)))
    }

    private func logIn() async throws -> RotatingServer.Token {
        await gates.pass(.login)
        return try server.logIn()
    }

    /// Refreshes the token, with a gate before the request and one after the server's answer.
    private func refresh(_ old: RotatingServer.Token) async throws -> RotatingServer.Token {
        await gates.pass(.refresh)
        // A cancelled closure would not send its request.
        try Task.checkCancellation()
        do {
            let token = try server.refresh(old.refreshToken)
            await gates.pass(.answer)
            return token
        } catch is RotatingServer.InvalidGrant {
            throw RefusedOldValue()
        }
    }

    private func printLines(_ lines: [String]) {
        FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }
}
