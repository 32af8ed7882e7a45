import Foundation
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SecretService

/// Slow and silent clients: all others get their answers meanwhile.
@Suite("Hostile clients of the Secret Service", .tags(.kernel, .threads))
struct HostilePeerTests {
    /// Returns a link without authentication, and the other end of its connection.
    private func link(_ authentication: Authentication? = nil) throws -> (Link, CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (Link(ends[0], PeerCredentials(), authentication), ends[1])
    }

    // Few, because agreeing on a key takes long in a debug build.
    @Test("clients agree on keys at the same time", .enabled(if: SessionCipher.isAvailable))
    func sessions() throws { try openSessions(1, by: 3) }

    @Test("15 clients agree on keys at the same time", .tags(.long), .enabled(if: SessionCipher.isAvailable))
    func manySessions() throws { try openSessions(2, by: 15) }

    private func openSessions(_ count: Int, by clients: Int) throws {
        let service = try ServiceThread()
        let start = ContinuousClock.now
        try ThreadTeam.run(clients) { _ in
            let client = try service.client()
            for _ in 0..<count {
                var body = try client.call("OpenSession", signature: "sv") { body in
                    body.string(SecretSession.encryption)
                    body.signature("ay")
                    // The generator is a possible key.
                    body.data([2])
                }
                #expect(try body.signature() == "ay")
                #expect(try body.data().count == 128)
                #expect(try body.string().hasPrefix("/org/freedesktop/secrets/session/"))
            }
        }
        print("\(count * clients) sessions with keys in \(ContinuousClock.now - start)")
    }

    @Test(
        "clients that never read, send single bytes or stop inside a message disturb nobody"
    )
    func slow() throws {
        let service = try ServiceThread()
        let client = try service.client()
        let item = try client.create(["a": "b"], Array("kept".utf8))
        let (deaf, slow, stopped) = (try service.client(), try service.client(), try service.client())
        // More answers than a socket holds.
        let call = BusWriter.call("Introspect", at: ServiceClient.service, to: "org.freedesktop.secrets", serial: 9)
        var sent = 0
        while sent < 4_000 {
            let count = call.withUnsafeBytes {
                send(deaf.socket, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            }
            guard count == call.count else { break }
            sent += 1
        }
        #expect(sent > 100 && sent < 4_000, "\(sent)")
        try stopped.send(Array(call.prefix(50)))
        for byte in BusWriter.call("Ping", at: ServiceClient.service, to: "org.freedesktop.secrets", serial: 99) {
            try slow.send([byte])
            // Gives the service time to read the byte.
            #expect(try client.secret(at: item) == Array("kept".utf8))
        }
        // The slow one gets its answer, too.
        #expect(try slow.next(until: .now + .seconds(30)).replySerial == 99)
        // The stopped client continues.
        try stopped.send(Array(call.dropFirst(50)))
        #expect(try stopped.next(until: .now + .seconds(30)).replySerial == 9)
    }

    @Test("a connection ends if a message, an answer or the authentication takes too long")
    func deadlines() throws {
        func isOver(_ link: Link, after seconds: Int) -> Bool {
            link.checkDeadline(.now + .seconds(seconds))
            return link.isOver
        }
        let message = Samples.call("Ping")
        let (idle, idleEnd) = try link()
        #expect(!isOver(idle, after: 100_000), "an idle connection stays")
        let (inside, insideEnd) = try link()
        send(insideEnd, message, 20, 0)
        inside.receive { _ in }
        #expect(!isOver(inside, after: 25))
        // A byte a second does not help.
        send(insideEnd, Array(message[20...]), 1, 0)
        inside.receive { _ in }
        #expect(isOver(inside, after: 31))
        let (complete, completeEnd) = try link()
        send(completeEnd, message, 20, 0)
        complete.receive { _ in }
        send(completeEnd, Array(message[20...]), message.count - 20, 0)
        complete.receive { _ in }
        #expect(!isOver(complete, after: 100_000))
        let (deaf, deafEnd) = try link()
        for _ in 0..<10 { deaf.send(SecretBox(SecretBytes(zeros: 100_000))) }
        #expect(!isOver(deaf, after: 25))
        #expect(isOver(deaf, after: 31))
        let (stranger, strangerEnd) = try link(Authentication(guid: "", isAllowed: true))
        #expect(!isOver(stranger, after: 5))
        #expect(isOver(stranger, after: 11))
        for end in [idleEnd, insideEnd, completeEnd, deafEnd, strangerEnd] { close(end) }
    }

    @Test("a client that is always inside a message, but ends each of them in time, keeps its connection")
    func streaming() throws {
        let (link, end) = try link()
        let message = Samples.call("Ping")
        let start = ContinuousClock.now
        send(end, message, 20, 0)
        link.receive { _ in }
        usleep(100_000)
        send(end, Array(message[20...] + message[..<20]), message.count, 0)
        link.receive { _ in }
        link.checkDeadline(start + .milliseconds(30_050))
        #expect(!link.isOver)
        link.checkDeadline(start + .seconds(31))
        #expect(link.isOver)
        close(end)
    }

    @Test("a call can't make the service read or keep much more than it has sent")
    func amplification() throws {
        let service = try ServiceThread()
        let client = try service.client()
        let item = try client.create(["a": "b"], Array(repeating: 1, count: 20_000))
        func secrets(_ paths: [String]) throws -> Int {
            try client.call("GetSecrets", signature: "aoo") { body in
                body.array(alignedTo: 4) { array in for path in paths { array.string(path) } }
                body.string(client.session)
            }.rest.count
        }
        #expect(try secrets([item]) > 20_000)
        // The keys of a dictionary differ.
        #expect(try secrets(Array(repeating: item, count: 1_000)) < 21_000)
        #expect(throws: ServiceClient.Failure.self) { try secrets((0..<5_000).map { "\(item)\($0)" }) }
        func addMatch(_ count: Int) throws {
            try client.callBus("AddMatch", "path='/" + String(repeating: "a", count: count) + "'")
        }
        #expect(throws: Never.self) { try addMatch(900) }
        #expect(throws: ServiceClient.Failure.self) { try addMatch(2_000) }
    }

    @Test(
        "reads are answered while writes wait for an item and for quota, and a client has stopped",
        .tags(.root), .enabled(if: isRoot, "becomes an ordinary user"))
    func blocked() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try OrdinaryUser.becomeInNewSession(60_481)
            let service = try ServiceThread(.session)
            let store = try SecretStore(.session)
            let held = ItemIdentity.secret(attributes: ["held": "1"])
            let stopped = try service.client()
            let setup = try service.client()
            let kept = try setup.create(["kept": "1"], Array("kept".utf8))
            try setup.create(["held": "1"], Array("old".utf8))
            try blocking {
                _ = try store.blockingUpdate(held, as: [UInt8].self, lasting: .scope) { (_: [UInt8]?) in [1] }
            }
            let update = try store.backend.beginUpdate(of: held, lasting: .seconds(20), Effort()).get()
            try stopped.send(Array(ServiceClient.creation(["x": "y"], [1], stopped.session).dropLast(3)))
            // As many keys as fit.
            var number = 0
            while number < 300, (try? setup.create(["fill": "\(number)"], Array(repeating: 1, count: 60))) != nil {
                number += 1
            }
            if number < 10 || number == 300 { Report.tellProblem("the quota is not full") }
            Report.tell("\(number) items fill the quota")
            let (reads, writes, readers) = (Locked(0), Locked(0), Locked(4))
            let surprises = Locked<[String]>([])
            // Each kind of call from two clients, at the same time.
            try ThreadTeam.run(8) { thread in
                let client = try service.client()
                let isReader = thread % 4 > 1
                var round = 0
                // Each write waits. If the reads waited for the writes, about as many of them would be answered.
                while isReader ? round < 50 : round == 0 || readers.withLock({ $0 }) > 0 {
                    var outcome = ""
                    do throws(ServiceClient.Failure) {
                        switch thread % 4 {
                        case 0: try client.create(["held": "1"], Array("new".utf8))
                        case 1: try client.create(["more": "\(thread) \(round)"], Array(repeating: 2, count: 3_000))
                        case 2: outcome = try client.secret(at: kept) == Array("kept".utf8) ? "kept" : "changed"
                        default: outcome = try client.search(["kept": "1"]) == [kept] ? "found" : "lost"
                        }
                    } catch {
                        outcome = error.name
                    }
                    let prefix = "org.freedesktop.DBus.Error."
                    // Without room for the new value, a write does not come as far as the item that is held.
                    let full = "\(prefix)LimitsExceeded"
                    let expected = [["\(prefix)Timeout", full], [full], ["kept"], ["found"]][thread % 4]
                    if !expected.contains(outcome) {
                        surprises.withLock { $0.append("client \(thread): '\(outcome)'") }
                    }
                    round += 1
                    (isReader ? reads : writes).withLock { $0 += 1 }
                }
                if isReader { readers.withLock { $0 -= 1 } }
            }
            surprises.withLock { $0.forEach(Report.tellProblem) }
            let counts = (reads: reads.withLock { $0 }, writes: writes.withLock { $0 })
            Report.tell("\(counts.reads) reads and \(counts.writes) writes are answered")
            if counts.reads < 2 * counts.writes { Report.tellProblem("reads wait for writes") }
            withExtendedLifetime(update) {}
            exit(0)
        }
        Report.check(result)
    }
}
