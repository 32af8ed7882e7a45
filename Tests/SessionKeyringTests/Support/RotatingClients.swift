import Foundation
import Keyutils
import TestSupport

/// The processes of `rotating-tokens` that a test starts, their gates, and the log of their server.
///
/// Use it from one thread. Every wait ends with an error after a minute.
final class RotatingClients {
    /// The points at which clients note their arrival.
    ///
    /// All of them except `asking` are gates that a test can hold.
    enum Point: String {
        case start, asking, login, refresh, answer, end
    }

    /// A client: a process that prints its answers, one a line.
    struct Client {
        fileprivate let process: ChildProcess
        fileprivate let output: URL

        /// The answers so far.
        var answers: [String] { RotatingClients.lines(of: output) }
    }

    private let directory: URL
    private let keyring: KeySerial
    private let inSession: Bool
    private var held: [Point: CInt] = [:]
    private var running: [pid_t: ChildProcess] = [:]
    private var started = 0

    /// Prepares clients whose token is stored in this keyring.
    ///
    /// - Parameter inSession: whether the clients get the session keyring of the calling thread.
    init(in keyring: Keyring, inSession: Bool = false) throws {
        (self.keyring, self.inSession) = (keyring.serial, inSession)
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("skr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        for process in running.values {
            process.kill()
            _ = try? process.wait(until: .now + ChildProcess.waitLimit)
        }
        for descriptor in held.values { close(descriptor) }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The requests that the server has received, in their order.
    var log: [String] { Self.lines(of: directory.appendingPathComponent("log")) }

    /// Revokes all tokens that the server has issued.
    func revokeTokens() throws {
        try Data((log + ["revoked", ""]).joined(separator: "\n").utf8)
            .write(to: directory.appendingPathComponent("log"))
    }

    fileprivate static func lines(of file: URL) -> [String] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }
}

/// Starting clients and waiting for them.
extension RotatingClients {
    /// Starts clients that ask for the token at the same time, and returns just before they ask.
    func ask(_ count: Int, _ task: String...) throws -> [Client] {
        let clients = try start(count, task)
        try letAsk()
        return clients
    }

    /// Starts clients, and returns once all of them wait at the gate `start`.
    func start(_ count: Int, _ task: [String] = []) throws -> [Client] {
        try hold(.start)
        let before = arrivals(at: .start).count
        let clients = try (0..<count).map { _ in try start(task.isEmpty ? ["ask"] : task) }
        try awaitArrivals(before + count, at: .start)
        return clients
    }

    /// Lets all clients that wait at the gate `start` ask for the token, and returns just before they ask.
    func letAsk() throws {
        try open(.start)
        try awaitArrivals(arrivals(at: .start).count, at: .asking)
    }

    private func start(_ task: [String]) throws -> Client {
        started += 1
        let output = directory.appendingPathComponent("answers-\(started)")
        let descriptor = Glibc.open(output.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ChildProcess.Failure(description: "no file for answers") }
        defer { close(descriptor) }
        let process = try ChildProcess(
            builtProgram("rotating-tokens"), ["\(keyring.rawValue)", directory.path] + task,
            environment: ChildProcess.environment([:]), files: (0, descriptor, 2), inSession: inSession)
        running[process.processID] = process
        return Client(process: process, output: output)
    }

    /// Waits for clients to end, and returns their answers.
    func answers(of clients: [Client]) throws -> [String] {
        try clients.flatMap { client in
            let code = try end(of: client)
            guard code == 0 else { throw ChildProcess.Failure(description: "a client ended with \(code)") }
            return client.answers
        }
    }

    private func end(of client: Client) throws -> CInt {
        defer { running[client.process.processID] = nil }
        return try client.process.wait(until: .now + ChildProcess.waitLimit)
    }

    /// Kills the client that was the first to arrive at a gate, and returns the other clients.
    func killFirst(of clients: [Client], at point: Point) throws -> [Client] {
        try awaitArrivals(1, at: point)
        let first = arrivals(at: point)[0]
        for victim in clients where victim.process.processID == first {
            victim.process.kill()
            let code = try end(of: victim)
            guard code == 128 + SIGKILL else { throw ChildProcess.Failure(description: "a client ended with \(code)") }
        }
        return clients.filter { $0.process.processID != first }
    }
}

/// Controlling the gates.
extension RotatingClients {
    /// Closes a gate.
    func hold(_ point: Point) throws {
        let path = directory.appendingPathComponent("gate-\(point.rawValue)").path
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ChildProcess.Failure(description: "no gate") }
        held[point] = descriptor
        // Clients that pass hold a shared lock for a moment.
        try wait(for: "a gate without clients") { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
    }

    /// Opens a gate that is closed.
    func open(_ point: Point) throws {
        guard let descriptor = held.removeValue(forKey: point) else {
            throw ChildProcess.Failure(description: "the gate is open")
        }
        // A child that another thread is starting could have the descriptor, too. So closing it isn't enough.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the processes that have arrived at a point, in their order.
    func arrivals(at point: Point) -> [pid_t] {
        Self.lines(of: directory.appendingPathComponent("arrivals")).compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == point.rawValue ? pid_t(words[1]) : nil
        }
    }

    /// Waits until at least this many processes have arrived at a point since the test began.
    func awaitArrivals(_ count: Int, at point: Point) throws {
        try wait(for: "\(count) arrivals at \(point.rawValue)") { arrivals(at: point).count >= count }
    }

    /// Waits until the condition is true, and throws if that takes more than a minute.
    func wait(for event: String, until condition: () throws -> Bool) throws {
        guard try becomesTrue(within: 60, condition) else {
            throw ChildProcess.Failure(description: "waited in vain for \(event)")
        }
    }
}
