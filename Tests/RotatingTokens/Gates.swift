import Foundation

/// The points in a client at which a test can stop it.
///
/// The test holds an exclusive lock on the gate's file for as long as the gate is closed. A client writes down that it
/// has arrived. Then it takes a shared lock for a moment. So it waits without polling, and it never waits for a test
/// that has died.
struct Gates: Sendable {
    /// The folder with one file for each gate and one with the arrivals.
    let directory: URL

    enum Point: String, Sendable {
        /// Before the client asks for the token.
        case start
        /// Just before the client asks for the token; not a gate.
        case asking
        /// Before a login is sent.
        case login
        /// Before a refresh is sent.
        case refresh
        /// After the server has answered a refresh.
        case answer
        /// Before the process ends.
        case end
    }

    /// Notes the arrival at a gate, and waits until the gate is open, even if the task is cancelled.
    func pass(_ point: Point) async {
        note(point)
        // Not on a thread of the tasks' pool, which can have only one.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                waitUntilOpen(point)
                continuation.resume()
            }
        }
    }

    /// Notes the arrival at a point, with the number of this process.
    func note(_ point: Point) {
        let descriptor = openFile("arrivals", O_WRONLY | O_APPEND)
        defer { close(descriptor) }
        let line = "\(point.rawValue) \(getpid())\n"
        guard write(descriptor, line, line.utf8.count) == line.utf8.count else { fatalError("can't write arrivals") }
    }

    private func waitUntilOpen(_ point: Point) {
        let descriptor = openFile("gate-\(point.rawValue)", O_RDWR)
        defer { close(descriptor) }
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else { fatalError("can't lock a gate: \(errno)") }
        }
    }

    private func openFile(_ name: String, _ mode: Int32) -> Int32 {
        let descriptor = open(directory.appendingPathComponent(name).path, mode | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { fatalError("can't open \(name): \(errno)") }
        return descriptor
    }
}
