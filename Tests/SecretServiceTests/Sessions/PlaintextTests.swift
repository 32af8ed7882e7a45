import Foundation
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import TestSupport
import Testing

@testable import SecretService

/// Searches the memory of a real `skr-secrets` for secrets that are deleted, and whose clients are gone.
@Suite(
    "Plaintext in the memory of skr-secrets", .tags(.kernel, .root),
    .enabled(if: isRoot && SessionCipher.isAvailable, "needs root, who can read such memory, and encryption"))
struct PlaintextTests {
    @Test("a secret that a client stores leaves no plaintext", arguments: ["plain", SecretSession.encryption])
    func stored(algorithm: String) async { await search(algorithm, isStoredByClient: true) }

    @Test("a secret that a client reads leaves no plaintext", arguments: ["plain", SecretSession.encryption])
    func read(algorithm: String) async { await search(algorithm, isStoredByClient: false) }

    private func search(_ algorithm: String, isStoredByClient: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [algorithm = algorithm as String, isStoredByClient = isStoredByClient as Bool] in
            try TestSession.join()
            let namespace = "plaintext-\(UUID().uuidString)"
            let service = try ServiceProgram(namespace: namespace)
            defer { service.end() }
            // The second one has more bytes than the memory that is kept for the next secret.
            for size in [40, 30_000] {
                // Each block of the cipher contains it.
                let mark = (0..<8).map { _ in UInt8.random(in: 0...255) }
                let secret = (0..<size).map { mark[$0 % 8] }
                try SecretClient(service.path, algorithm).use(secret, in: namespace, storing: isStoredByClient)
                // The service has noticed that the client is gone.
                _ = try ServiceClient(path: service.path)
                let places = try service.places(of: mark)
                if !places.isEmpty { Report.tellProblem("\(size) bytes: \(places.count) copies, \(places.prefix(9))") }
            }
            let names = try service.places(of: Array(namespace.utf8))
            if names.isEmpty { Report.tellProblem("the search finds nothing") }
        }
        Report.check(result)
    }
}

/// A client with a session of either kind.
private struct SecretClient {
    private let client: ServiceClient
    private let session: SecretSession
    private let path: String

    init(_ socket: String, _ algorithm: String) throws {
        client = try ServiceClient(path: socket)
        guard algorithm == SecretSession.encryption else {
            (session, path) = (.plain, client.session)
            return
        }
        let keys = KeyPair()
        var answer = try client.call("OpenSession", signature: "sv") { body in
            body.string(algorithm)
            body.signature("ay")
            body.data(keys.publicKey.array)
        }
        _ = try answer.signature()
        let publicKey = try answer.data()
        let agreed = SecretSession(agreeingWith: publicKey.span.bytes, by: keys)
        session = try #require(agreed)
        path = try answer.string()
    }

    /// Stores a secret or, if it is stored in another way, reads it; then deletes it.
    func use(_ secret: [UInt8], in namespace: String, storing: Bool) throws {
        let attributes = ["service": "web", "username": "alice"]
        if storing {
            let (parameters, value) = try session.encode(SecretBox(copying: secret.span.bytes))
            _ = try client.call("CreateItem", at: ServiceClient.login, signature: "a{sv}(oayays)b") { body in
                body.array(alignedTo: 8) { properties in
                    properties.string("org.freedesktop.Secret.Item.Attributes")
                    properties.signature("a{ss}")
                    properties.dictionary(attributes)
                }
                body.align(to: 8)
                body.string(path)
                body.data(parameters.array)
                body.data(value.array)
                body.string("text/plain")
                body.number(1)
            }
        }
        let store = try SecretStore(.session, namespace: namespace)
        let item = ItemIdentity.password(service: "web", account: "alice")
        if !storing { try store.set(SecretBytes(copying: secret), for: item) }
        let stored = try #require(try client.search(attributes).first)
        if !storing {
            var answer = try client.call("GetSecret", at: stored, signature: "o") { $0.string(path) }
            _ = try answer.string()
            let (parameters, value) = (try answer.data(), try answer.data())
            #expect(session.decode(parameters: parameters.span.bytes, value: value.span.bytes)?.array == secret)
        }
        #expect(try client.delete(stored))
    }
}

extension ServiceProgram {
    /// Returns the places of these bytes in the service's memory: the names of the mappings.
    fileprivate func places(of bytes: [UInt8]) throws -> [Substring] {
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        return maps.split(separator: "\n").flatMap { line in
            let words = line.split(separator: " ")
            let range = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard range.count == 2, words[1].hasPrefix("r") else { return [Substring]() }
            var data = Data(count: range[1] - range[0])
            // The kernel does not show its own pages, such as [vvar].
            let count = data.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, range[0]) }
            var (found, start) = ([Substring](), 0)
            while let place = data[start..<max(start, count)].range(of: Data(bytes)) {
                found.append(words.count > 5 ? words[5] : words[0])
                start = place.upperBound
            }
            return found
        }
    }
}
