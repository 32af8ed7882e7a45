import CFloor
import Glibc
import Keyutils

/// Other processes, each with a session keyring of its own and the same names in it as all others.
///
/// They die with this process, and their sessions and keys with them.
final class Crowd {
    private struct Other {
        let process: pid_t
        let channel: CInt
        let serials: [Int32]
    }

    private let firstUser: UInt32?
    private var others: [Other] = []

    var count: Int { others.count }

    /// - Parameter firstUser: each is another user, from this one on; `nil` for the own one.
    init(firstUser: UInt32?) {
        self.firstUser = firstUser
        // A socket for each, and the standard ones.
        var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    func grow(to size: Int) throws {
        while others.count < size {
            let number = others.count
            var channel: CInt = -1
            let process = start_member(firstUser.map { $0 + UInt32(number) } ?? geteuid(), &channel)
            if process == 0 { Member(number: number, channel: channel).live() }
            guard process > 0 else { throw Failure.ofCall("start_member") }
            others.append(Other(process: process, channel: channel, serials: try Self.read(from: channel)))
        }
    }

    /// Each finds its own items with its own values, nobody else's, and may not read the next one's by serial.
    func proveIsolation() throws {
        for (number, other) in others.enumerated() {
            let next = others[(number + 1) % others.count]
            let answer = try Self.ask(other.channel, [Member.Command.check.rawValue] + next.serials)
            guard answer == [1] else { throw Failure("session \(number) is not alone") }
        }
    }

    /// The first one does this until it is told otherwise.
    func occupyFirst(with command: Member.Command) throws {
        _ = try Self.ask(others[0].channel, [command.rawValue])
    }

    func end() throws {
        // The last one first: each has inherited the channels of those before it, and holds them open.
        while let other = others.popLast() {
            close(other.channel)
            var status: CInt = 0
            guard waitpid(other.process, &status, 0) == other.process, status == 0 else {
                throw Failure("a member ended with \(status)")
            }
        }
    }

    private static func ask(_ channel: CInt, _ words: [Int32]) throws -> [Int32] {
        guard write(channel, words, words.count * 4) == words.count * 4 else { throw Failure.ofCall("write") }
        return try read(from: channel)
    }

    private static func read(from channel: CInt) throws -> [Int32] {
        var words = [Int32](repeating: 0, count: Member.itemCount)
        let size = Glibc.read(channel, &words, words.count * 4)
        guard size > 0 else { throw Failure("a member failed") }
        return Array(words[..<(size / 4)])
    }
}
