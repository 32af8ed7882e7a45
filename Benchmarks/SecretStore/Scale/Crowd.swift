import Baseline
import Foundation
import Keyutils
import SessionKeyring

/// Other processes, each with its own session keyring and the same names in it.
///
/// They die with this process, and their sessions and keys with them.
final class Crowd {
    private struct Other {
        let process: pid_t
        let channel: Channel
        let serials: [Int32]
    }

    private let firstUser: UInt32?
    private var others: [Other] = []

    var count: Int { others.count }

    /// Creates an empty crowd.
    ///
    /// - Parameter firstUser: the user of the first process; each further process has the next user. `nil` for this
    ///   process's user.
    init(firstUser: UInt32?) {
        self.firstUser = firstUser
        // One socket for each process, and the standard descriptors.
        var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    func grow(to size: Int) throws {
        while others.count < size {
            let number = others.count
            var descriptor: CInt = -1
            let process = start_member(firstUser.map { $0 + UInt32(number) } ?? geteuid(), &descriptor)
            let channel = Channel(descriptor: descriptor)
            if process == 0 { Member(number: number, channel: channel).live() }
            guard process > 0 else { throw Failure.ofCall("start_member") }
            guard let serials = channel.receive() else { throw Failure("a process of the crowd failed") }
            others.append(Other(process: process, channel: channel, serials: serials))
        }
    }

    /// Checks that no session sees the items of another one.
    ///
    /// Each process must find its own items with its own values and no others, and must not be able to read the next
    /// process's keys by serial.
    func proveIsolation() throws {
        for (number, other) in others.enumerated() {
            try other.channel.send([Member.Command.check.rawValue] + others[(number + 1) % others.count].serials)
            guard other.channel.receive() == [1] else { throw Failure("session \(number) sees other sessions' items") }
        }
    }

    /// Lets the first process execute this command until it gets another one.
    func occupyFirst(with command: Member.Command) throws {
        try others[0].channel.send([command.rawValue])
        guard others[0].channel.receive() == [1] else { throw Failure("a process of the crowd failed") }
    }

    func end() throws {
        // The last process ends first: each one has inherited the channels of the earlier ones, and holds them open.
        while let other = others.popLast() {
            close(other.channel.descriptor)
            var status: CInt = 0
            guard waitpid(other.process, &status, 0) == other.process, status == 0 else {
                throw Failure("a process of the crowd ended with status \(status)")
            }
        }
    }
}

/// A socket for numbers.
///
/// Numbers that are sent together arrive together.
struct Channel {
    let descriptor: CInt

    func send(_ words: [Int32]) throws {
        guard write(descriptor, words, words.count * 4) == words.count * 4 else { throw Failure.ofCall("write") }
    }

    /// Receives numbers; `nil` when the channel is closed.
    func receive() -> [Int32]? {
        var words = [Int32](repeating: 0, count: 1 + Member.itemCount)
        let size = read(descriptor, &words, words.count * 4)
        return size > 0 ? Array(words[..<(size / 4)]) : nil
    }

    var hasMore: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) != 0
    }
}

/// A member of the crowd, in its own process.
struct Member {
    static let itemCount = 20

    enum Command: Int32 {
        case idle, get, set, list, check
    }

    let number: Int
    let channel: Channel

    /// Sends the serials of its items, then executes commands until the channel is closed.
    func live() -> Never {
        do {
            let bench = try Workbench(payload: Array("of session \(number)".utf8), count: Self.itemCount)
            try channel.send(try bench.ring.members().map(\.rawValue))
            while let words = channel.receive() {
                switch Command(rawValue: words[0]) {
                case .check: try channel.send([isAlone(bench, words.dropFirst()) ? 1 : 0])
                case .get: try work(.get, bench, calls: 20)
                case .set: try work(.set, bench, calls: 20)
                case .list: try work(.items, bench, calls: 1)
                case .idle, nil: try channel.send([1])
                }
            }
            _exit(0)
        } catch {
            Console.note("error: process \(number) of the crowd: \(error)")
            _exit(70)
        }
    }

    private func work(_ call: Workbench.Call, _ bench: Workbench, calls: Int) throws {
        try channel.send([1])
        while !channel.hasMore {
            for _ in 0..<calls { try bench.work(call) }
        }
    }

    private func isAlone(_ bench: Workbench, _ foreign: some Sequence<Int32>) throws -> Bool {
        let own = bench.items.dropLast()
        guard try Set(bench.store.identities()) == Set(own) else { return false }
        for item in own where try bench.store.get(item, as: [UInt8].self) != bench.payload { return false }
        for serial in foreign {
            do {
                _ = try Key(KeySerial(rawValue: serial)).withPayload { $0.byteCount }
                return false
            } catch {
                guard error.code == .accessDenied else { throw error }
            }
        }
        return true
    }
}
