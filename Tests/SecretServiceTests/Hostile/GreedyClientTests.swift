import Foundation
import Glibc
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

/// Clients that are many, that send much, or that leave early.
@Suite("Greedy and hasty clients of the Secret Service", .tags(.kernel))
struct GreedyClientTests {
    /// Sends as much as the socket takes now.
    ///
    /// - Returns: the number of bytes sent.
    private static func push(_ bytes: ArraySlice<UInt8>, to client: ServiceClient) -> Int {
        let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
        return max(0, bytes.withUnsafeBytes { Glibc.send(client.socket, $0.baseAddress, $0.count, flags) })
    }

    private static func introspect(_ serial: UInt32 = 9) -> [UInt8] {
        BusWriter.call("Introspect", at: ServiceClient.login, to: "org.freedesktop.secrets", serial: serial)
    }

    /// Returns a call of `Unlock` with this number of paths that don't exist.
    private static func unlock(_ count: Int) -> [UInt8] {
        BusWriter.call(
            "Unlock", at: ServiceClient.service, to: "org.freedesktop.secrets", signature: "ao", serial: 9
        ) { body in
            body.array(alignedTo: 4) { array in
                for number in 0..<count { array.string("\(ServiceClient.login)/password_3as_3a\(number)") }
            }
        }
    }

    @Test("60 clients at the same time are served")
    func crowd() throws {
        let service = try ServiceThread()
        let clients = try (0..<60).map { _ in try service.client() }
        for client in clients { #expect(try client.search([:]) == []) }
    }

    @Test("a client waits until there is a place for it")
    func places() throws {
        let service = try ServiceThread(places: 8)
        var clients = try (0..<8).map { _ in try service.client() }
        let isServed = Locked(false)
        Thread.detachNewThread {
            let client = try? service.client()
            isServed.withLock { $0 = client != nil }
        }
        for _ in 0..<20 { #expect(try clients[0].search([:]) == []) }
        #expect(isServed.withLock { $0 } == false)
        clients.removeLast()
        #expect(becomesTrue { isServed.withLock { $0 } })
    }

    @Test("a service that may open 64 files serves 100 clients", .enabled(if: isRoot, "needs room for 100 items"))
    func descriptors() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try TestSession.join()
            var usual = rlimit()
            let files = __rlimit_resource_t(bitPattern: RLIMIT_NOFILE.rawValue)
            getrlimit(files, &usual)
            var few = rlimit(rlim_cur: 64, rlim_max: usual.rlim_max)
            setrlimit(files, &few)
            let service = try ServiceProgram(namespace: "files")
            setrlimit(files, &usual)
            do {
                try ThreadTeam.run(100) { [path = service.path] number in
                    let client = try ServiceClient(path: path)
                    try client.create(["number": "\(number)"], Array("kept".utf8))
                }
                let found = try ServiceClient(path: service.path).search([:]).count
                if found != 100 { Report.tellProblem("\(found) items are stored") }
            } catch {
                Report.tellProblem("\(error)")
            }
            service.end()
        }
        Report.check(result)
    }

    @Test("what a client sends is done, even if it leaves at once", arguments: ["closes", "never reads", "errs"])
    func hasty(manner: String) throws {
        let service = try ServiceThread()
        for number in 0..<60 {
            let client = try service.client()
            if manner == "never reads" { for _ in 0..<5 { try client.send(Self.introspect()) } }
            try client.send(ServiceClient.creation(["number": "\(number)"], [1], client.session))
            if manner == "errs" { try client.send(Array("this is no message".utf8)) }
        }
        let client = try service.client()
        var count = 0
        let isDone = try becomesTrue {
            count = try client.search([:]).count
            return count == 60
        }
        #expect(isDone, "\(count) items are stored")
    }

    @Test("a client that has closed only its own end gets its answers")
    func halfClosed() throws {
        let service = try ServiceThread()
        let client = try service.client()
        for _ in 0..<3 { try client.send(Self.introspect()) }
        shutdown(client.socket, CInt(SHUT_WR))
        for _ in 0..<3 { #expect(try client.next(until: .now + .seconds(30)).replySerial == 9) }
        #expect(throws: ServiceClient.Failure(name: "")) { try client.next(until: .now + .seconds(30)) }
    }

    @Test(
        "the memory for all clients that only send is bounded, and another client stores secrets meanwhile",
        arguments: ["large calls", "small calls", "a part of a message"])
    func memory(content: String) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [content = content as String] in
            func peak() -> Int {
                var usage = rusage()
                getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
                return usage.ru_maxrss >> 10
            }
            try TestSession.join()
            let (service, store) = (try ServiceThread(.session), try SecretStore(.session))
            let client = try service.client()
            let held = ItemIdentity.secret(attributes: ["held": "1"])
            try blocking {
                _ = try store.blockingUpdate(held, as: [UInt8].self, lasting: .scope) { (_: [UInt8]?) in [1] }
            }
            let update = try store.backend.beginUpdate(of: held, lasting: .seconds(60), Effort()).get()
            // Each waits for a call that waits for the item.
            let large = BusWriter.call(
                "SetAlias", at: ServiceClient.service, to: "org.freedesktop.secrets", signature: "ay", serial: 9
            ) { $0.data(Array(repeating: 1, count: 400_000)) }
            let small = BusWriter.call("a", at: "/", to: nil, serial: 9)
            let bytes: [UInt8] =
                switch content {
                case "large calls": Array(Array(repeating: large, count: 25).joined())
                case "small calls": Array(Array(repeating: small, count: 20_000).joined())
                default: large.dropLast()
                }
            let greedy = try (0..<120).map { _ in try service.client() }
            for peer in greedy { try peer.send(ServiceClient.creation(["held": "1"], [1], peer.session)) }
            var sent = Array(repeating: 0, count: greedy.count)
            let before = peak()
            var (answers, idle) = (0, 0)
            while idle < 20, answers < 200 {
                var progress = 0
                for (number, peer) in greedy.enumerated() {
                    let count = GreedyClientTests.push(bytes[sent[number]...].prefix(100_000), to: peer)
                    (progress, sent[number]) = (progress + count, sent[number] + count)
                }
                try client.create(["a": "b"], Array(repeating: 1, count: 30_000))
                (answers, idle) = (answers + 1, progress == 0 ? idle + 1 : 0)
            }
            let megabytes = sent.reduce(0, +) >> 20
            Report.tell(
                "\(megabytes) MiB sent as \(content), \(answers) secrets stored, memory: \(before) to \(peak()) MiB")
            if peak() - before > 32 { Report.tellProblem("the service keeps too much") }
            withExtendedLifetime(update) {}
            exit(0)
        }
        Report.check(result)
    }

    @Test("a small call waits for few calls of greedy clients")
    func fair() throws {
        let service = try TestService()
        let client = try service.client()
        let greedy = try (0..<8).map { _ in try service.client() }
        let calls = Array((0..<3).map { _ in Self.unlock(1_000) }.joined())
        for peer in greedy { #expect(Self.push(calls[...], to: peer) == calls.count) }
        for _ in 0..<3 { _ = try client.call("Ping") }
        var report = try client.call("Report")
        let line = try #require(try report.string().split(separator: "\n").first { $0.hasPrefix("calls: ") })
        // Two calls of each client at its beginning, the three pings, and the greedy calls.
        let count = try #require(Int(line.dropFirst(7))) - 9 * 2 - 3
        #expect(count < 16)
    }
}
