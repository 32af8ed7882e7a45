import Foundation
import Glibc
import SecretText
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

/// A hostile client sends changed messages, while the service keeps answering another client.
///
/// `SKR_FUZZ=1000000` sets the number of messages, and `SKR_FUZZ_SEED` replays a run. Each message depends only on the
/// seed and its number; its effect also depends on the earlier messages.
@Suite(
    "Fuzzing: the Secret Service", .tags(.kernel, .long), .enabled(if: isRoot, "needs room for the items of the fuzzer")
)
struct ServiceFuzzTests {
    @Test("changed messages and authentications harm neither the service nor another client")
    func messages() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SKR_FUZZ_SEED"].flatMap { UInt64($0) } ?? testSeed
        let count = environment["SKR_FUZZ"].flatMap { Int($0) } ?? 20_000
        print("fuzzing the Secret Service: seed \(seed), \(count) messages")
        // Its own process, so that its memory and descriptors can be counted.
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [seed = seed as UInt64, count = count as Int] in
            try TestSession.join()
            var fuzz = try ServiceFuzz(seed: seed)
            do {
                for number in 0..<count { try fuzz.step(number, of: count) }
                try fuzz.end()
            } catch {
                Report.tellProblem("\(error)")
            }
        }
        Report.check(result)
    }
}

/// The state of a run.
private struct ServiceFuzz {
    private struct Problem: Error, CustomStringConvertible { let description: String }

    private static let kept = (0..<8).map { ItemIdentity.password(service: "victim", account: "\($0)") }

    private let service: TestService
    private let seed: UInt64
    private let victim: ServiceClient
    private var hostile: ServiceClient
    private var longest = Duration.zero
    private var counts: [String: Int] = [:]
    private var before: (memory: Int, descriptors: Int)?

    init(seed: UInt64) throws {
        self.seed = seed
        service = try TestService()
        victim = try service.client()
        hostile = try service.client()
        for (number, item) in Self.kept.enumerated() { try service.store.set(Self.value(number), for: item) }
    }

    private static func value(_ number: Int) -> String { "v1ctim's secret \(number)" }

    mutating func step(_ number: Int, of count: Int) throws {
        var messages = HostileMessages(session: hostile.session, random: Choices(seed: seed, stream: UInt64(number)))
        do {
            if messages.below(40) == 0 {
                let peer = try ServiceClient(socket: service.connect(), of: service, begins: false)
                try? peer.send(messages.authentication())
                try checkAuthentication(peer)
            } else {
                // The service may have ended the connection.
                try? hostile.send(messages.next(serial: UInt32(number + 2)))
                if number % 16 == 0 { try checkVictim(number) }
                service.serve()
                let isAnswered = try checkAnswers(isInOrder: messages.isInOrder)
                // If the length was wrong, the service waits for more, and would take the next message for the rest.
                if !isAnswered, messages.below(4) > 0 { hostile = try service.client() }
            }
            if number % 256 == 255 { try clean() }
            if number == count / 5 || number == count - 1 { try measure(isLast: number == count - 1) }
            if hostile.isClosed || number % 100 == 99 { hostile = try service.client() }
        } catch {
            throw Problem(description: "message \(number) of seed \(seed): \(error)")
        }
    }

    private mutating func checkAuthentication(_ peer: ServiceClient) throws {
        let bytes = peer.received()
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        for line in lines.prefix(while: { $0.last == UInt8(ascii: "\r") }) {
            let text = String(decoding: line, as: UTF8.self)
            guard ["OK ", "DATA", "REJECTED EXTERNAL", "ERROR "].contains(where: text.hasPrefix) else {
                // After the authentication, there can be answers to messages.
                if lines.contains(where: { $0.starts(with: Array("OK ".utf8)) }) { break }
                throw Problem(description: "an answer to the authentication: \(text)")
            }
        }
        counts["authentications", default: 0] += 1
    }

    /// Parses all answers to the hostile client; returns whether there are any.
    private mutating func checkAnswers(isInOrder: Bool) throws -> Bool {
        let answers = try hostile.answers()
        for answer in answers {
            counts[answer.errorName ?? (answer.kind == 4 ? "signals" : "results"), default: 0] += 1
            try Self.check(answer)
            guard answer.kind == 3 else { continue }
            let text = String(decoding: answer.body.rest, as: UTF8.self)
            let secrets = isInOrder ? ["v1ctim", HostileMessages.secret] : ["v1ctim"]
            for secret in secrets where text.contains(secret) {
                throw Problem(description: "an error shows a secret: \(text)")
            }
        }
        return !answers.isEmpty
    }

    /// Checks that the body has the values of its signature.
    private static func check(_ answer: BusAnswer) throws {
        let body = answer.body.rest
        var reader = WireReader(SecretBox(copying: body.span.bytes), isBigEndian: false, range: 0..<body.count)
        guard let signature = TypeSignature(answer.signature.utf8) else {
            throw Problem(description: "the signature \(answer.signature)")
        }
        try reader.skip(signature)
        guard reader.isAtEnd else { throw Problem(description: "the end of a body \(answer.signature)") }
    }

    /// Makes a call of the other client after the hostile one has sent its message.
    private mutating func checkVictim(_ number: Int) throws {
        let start = ContinuousClock.now
        let item = number / 16 % Self.kept.count
        let secret = try victim.text(at: "\(ServiceClient.login)/password_3avictim_3a\(item)")
        let wait = ContinuousClock.now - start
        guard secret == Self.value(item) else {
            throw Problem(description: "the other client's item has changed: \(secret ?? "gone")")
        }
        guard wait < .seconds(10) else { throw Problem(description: "the other client waited \(wait)") }
        longest = max(longest, wait)
        counts["calls of the other client", default: 0] += 1
    }

    /// Removes the items of the hostile client, so that there is always room.
    private func clean() throws {
        for scope in ["default", "secrets-session"] {
            let store = try SecretStore(.keyring(service.scratch.keyring.serial), namespace: scope)
            for item in try store.identities() where !Self.kept.contains(item) { try store.delete(item) }
        }
        let scope = SecretScope.keyring(service.scratch.keyring.serial)
        for name in try SecretStore(scope).namespaces() where !["default", "secrets-session"].contains(name) {
            try SecretStore(scope, namespace: name).clear()
        }
    }

    private mutating func measure(isLast: Bool) throws {
        hostile = try service.client()
        // Closes the other end of the client before.
        service.serve()
        try clean()
        let memory = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let now = (memory: (Int(memory) ?? 0) * 4, descriptors: descriptors)
        guard isLast, let before else { return before = now }
        Report.tell(
            "memory \(before.memory) to \(now.memory) KB, descriptors \(before.descriptors) to \(now.descriptors)")
        guard now.descriptors <= before.descriptors else { throw Problem(description: "more descriptors are open") }
        guard now.memory - before.memory < 8_192 else { throw Problem(description: "the service has grown") }
    }

    mutating func end() throws {
        for number in 0..<(16 * Self.kept.count) where number % 16 == 0 { try checkVictim(number) }
        Report.tell("longest wait of the other client: \(longest)")
        Report.tell(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    }

}
