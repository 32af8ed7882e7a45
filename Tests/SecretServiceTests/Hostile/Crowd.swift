import Foundation
import Glibc
import SessionKeyring
import TestSupport
import Threads

/// Many clients of one service, each in its own thread, which create, get, search and delete items.
///
/// The service can be killed meanwhile, and started again at another place. If a connection ends during a call, its
/// client does not know whether the call has taken effect. Everything else must be as if nothing had happened.
final class Crowd: Sendable {
    private let address: Locked<String>
    private let problems = Locked<[String]>([])
    private let waiting: Locked<Int>
    private let tally = Locked(Tally())

    struct Tally: CustomStringConvertible {
        var calls = 0
        var refusals = 0
        var cutOff = 0
        var connections = 0
        var longestWait = Duration.zero

        var description: String {
            "\(calls) calls, \(refusals) refused for lack of quota, \(cutOff) cut off, \(connections) connections, "
                + "longest wait \(longestWait)"
        }
    }

    /// Starts the clients.
    init(_ count: Int, calls: Int, at path: String, seed: UInt64, mayBeRefused: Bool = false) {
        (address, waiting) = (Locked(path), Locked(count))
        for number in 0..<count {
            Thread.detachNewThread { [self] in
                var member = CrowdMember(number, of: self, seed: seed, mayBeRefused: mayBeRefused)
                do {
                    try member.run(calls)
                } catch {
                    report("client \(number): \(error)")
                }
                tally.withLock { tally in
                    tally.calls += member.tally.calls
                    tally.refusals += member.tally.refusals
                    tally.cutOff += member.tally.cutOff
                    tally.connections += member.tally.connections
                    tally.longestWait = max(tally.longestWait, member.tally.longestWait)
                }
                waiting.withLock { $0 -= 1 }
            }
        }
    }

    /// Waits until all clients have ended, for at most this time.
    ///
    /// - Returns: whether they have.
    func wait(for duration: Duration) -> Bool {
        becomesTrue(within: duration / .seconds(1)) { waiting.withLock { $0 } == 0 }
    }

    /// Tells the clients that the service is now elsewhere.
    func move(to path: String) { address.withLock { $0 = path } }

    func report(_ problem: String) { problems.withLock { $0.append(problem) } }

    /// The problems so far.
    var found: [String] { problems.withLock { $0 } }
    var summary: Tally { tally.withLock { $0 } }

    /// Connects to the service, which may not be there for a while.
    func connect() throws -> ServiceClient {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do throws(ServiceClient.Failure) {
                return try ServiceClient(path: address.withLock { $0 })
            } catch {
                guard error.isDisconnected, ContinuousClock.now < end else { throw error }
            }
            usleep(5_000)
        }
    }
}

/// One client of a crowd.
struct CrowdMember {
    private static let (items, sharedItems) = (6, 3)

    private let number: Int
    private let crowd: Crowd
    private let mayBeRefused: Bool
    private var random: Choices
    private var client: ServiceClient?
    private var writes = 0
    /// The numbers of the writes that each of the client's items can hold; 0 if the item can be missing.
    private var possible = Array(repeating: Set([0]), count: items)
    /// The numbers of the writes that the client has sent just before it ended, which can be made later than others.
    private var late = Array(repeating: Set<Int>(), count: items)
    private(set) var tally = Crowd.Tally()

    init(_ number: Int, of crowd: Crowd, seed: UInt64, mayBeRefused: Bool) {
        (self.number, self.crowd, self.mayBeRefused) = (number, crowd, mayBeRefused)
        random = Choices(seed: seed, stream: UInt64(number))
    }

    /// The value of a client's write, which no other write has.
    static func value(_ client: Int, _ write: Int) -> [UInt8] {
        var filling = Choices(seed: UInt64(client), stream: UInt64(write))
        let bytes = (0..<filling.below(700)).map { _ in UInt8(truncatingIfNeeded: filling.next()) }
        return Array("\(client).\(write).".utf8) + bytes
    }

    /// The client and the number of the write of a value; `nil` if nobody wrote it.
    private static func origin(_ value: [UInt8]) -> (client: Int, write: Int)? {
        let words = value.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let client = Int(String(decoding: words[0], as: UTF8.self)),
            let write = Int(String(decoding: words[1], as: UTF8.self)), self.value(client, write) == value
        else { return nil }
        return (client, write)
    }

    private func attributes(_ item: Int) -> [String: String] { ["owner": "\(number)", "item": "\(item)"] }

    mutating func run(_ calls: Int) throws {
        for _ in 0..<calls {
            do throws(ServiceClient.Failure) {
                try step()
                tally.calls += 1
            } catch {
                if mayBeRefused, error.name.hasSuffix(".LimitsExceeded") {
                    tally.refusals += 1
                } else if error.isDisconnected {
                    disconnect()
                    tally.cutOff += 1
                } else {
                    throw error
                }
            }
        }
        // Acknowledged writes are still there.
        for item in 0..<Self.items {
            while true {
                do throws(ServiceClient.Failure) {
                    try get(item)
                    break
                } catch {
                    guard error.isDisconnected else { throw error }
                    disconnect()
                }
            }
        }
        disconnect()
    }

    private mutating func connected() throws(ServiceClient.Failure) -> ServiceClient {
        if let client { return client }
        do {
            let new = try crowd.connect()
            (client, tally.connections) = (new, tally.connections + 1)
            return new
        } catch {
            throw error as? ServiceClient.Failure ?? .init(name: "no connection", message: "\(error)")
        }
    }

    private mutating func disconnect() {
        tally.longestWait = max(tally.longestWait, client?.longestWait ?? .zero)
        client = nil
    }

    private mutating func step() throws(ServiceClient.Failure) {
        let item = random.below(Self.items)
        switch random.below(100) {
        case ..<35: try create(item)
        case ..<65: try get(item)
        case ..<75: try search()
        case ..<90: try delete(item)
        case ..<97: try share(random.below(Self.sharedItems))
        default: try die(item)
        }
    }

    private mutating func create(_ item: Int) throws(ServiceClient.Failure) {
        let client = try connected()
        writes += 1
        let before = possible[item]
        possible[item].insert(writes)
        do throws(ServiceClient.Failure) {
            try client.create(attributes(item), Self.value(number, writes))
        } catch {
            // A call that is refused has no effect.
            if !error.isDisconnected { possible[item] = before }
            throw error
        }
        possible[item] = [writes]
    }

    private mutating func get(_ item: Int) throws(ServiceClient.Failure) {
        let client = try connected()
        var found = 0
        if let path = try client.search(attributes(item)).first, let value = try client.secret(at: path) {
            guard let (owner, write) = Self.origin(value), owner == number else {
                return crowd.report("client \(number) read what it never wrote: \(value)")
            }
            found = write
        }
        guard possible[item].contains(found) || late[item].contains(found) else {
            return crowd.report("client \(number) read write \(found) of item \(item), not one of \(possible[item])")
        }
        possible[item] = [found]
    }

    private mutating func search() throws(ServiceClient.Failure) {
        let found = try connected().search(["owner": "\(number)"]).count
        let least = possible.count { !$0.contains(0) }
        let most = (0..<Self.items).count { possible[$0] != [0] || !late[$0].isEmpty }
        guard (least...most).contains(found) else {
            return crowd.report("client \(number) found \(found) items, not \(least) to \(most)")
        }
    }

    private mutating func delete(_ item: Int) throws(ServiceClient.Failure) {
        let client = try connected()
        guard let path = try client.search(attributes(item)).first else {
            if !possible[item].contains(0) { crowd.report("client \(number) lost its item \(item)") }
            return possible[item] = [0]
        }
        if possible[item] == [0], late[item].isEmpty { crowd.report("client \(number) found its deleted item \(item)") }
        possible[item].insert(0)
        if try !client.delete(path) { crowd.report("client \(number): its item \(item) was gone") }
        possible[item] = [0]
    }

    /// Writes and reads an item of all clients.
    private mutating func share(_ item: Int) throws(ServiceClient.Failure) {
        let client = try connected()
        let attributes = ["shared": "\(item)"]
        writes += 1
        try client.create(attributes, Self.value(number, writes))
        guard let path = try client.search(attributes).first, let value = try client.secret(at: path) else {
            return crowd.report("the shared item \(item) is gone")
        }
        if Self.origin(value) == nil { crowd.report("nobody wrote this: \(value)") }
    }

    /// Sends a call, or a part of it, and ends without its answer, as a client that is killed.
    private mutating func die(_ item: Int) throws(ServiceClient.Failure) {
        let client = try connected()
        writes += 1
        late[item].insert(writes)
        let (value, session, attributes) = (Self.value(number, writes), client.session, attributes(item))
        let call = ServiceClient.creation(attributes, value, session)
        try client.send(Array(call.prefix(random.below(2) == 0 ? call.count : random.below(call.count))))
        disconnect()
    }
}
