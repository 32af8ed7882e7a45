import Foundation
import Glibc
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

@testable import SecretService

/// A service that runs in a thread of this process, with a real socket.
final class ServiceThread: Sendable {
    /// The service's abstract name, which begins with NUL.
    let path: String
    private let scratch: ScratchBox?
    private let stop: CInt
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - scope: a scratch keyring of the service's own by default.
    ///   - places: the most clients at a time.
    init(
        _ scope: SecretScope? = nil, namespace: String = "default", timeouts: TimeoutRules = TimeoutRules(),
        places: Int = 256
    ) throws {
        let scratch = scope == nil ? ScratchBox(ring: try ScratchKeyring()) : nil
        let scope = try #require(scope ?? scratch.map { .keyring($0.ring.keyring.serial) })
        self.scratch = scratch
        path = "\0skr-test-\(UUID().uuidString)"
        guard let listener = UnixSocket.listen(at: path) else { throw ServiceClient.Failure(name: "no socket") }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ServiceClient.Failure(name: "no pipe") }
        stop = ends[1]
        let service = Locked(try SecretService(scope, namespace: namespace, timeouts: timeouts))
        Thread.detachNewThread { [ended, reading = ends[0]] in
            service.withLock { service in
                let server = SecretServer(service, listener: listener, places: places)
                var wanted = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                while poll(&wanted, 1, 0) == 0 { server.serve(until: .now + .seconds(5), or: [reading]) }
            }
            close(listener)
            close(reading)
            ended.signal()
        }
    }

    /// Connects a client that has opened a session.
    func client() throws -> ServiceClient { try ServiceClient(path: path) }

    deinit {
        close(stop)
        ended.wait()
    }
}

/// A scratch keyring in a place that needs a copyable value.
private final class ScratchBox: Sendable {
    let ring: ScratchKeyring

    init(ring: consuming ScratchKeyring) {
        self.ring = ring
    }
}
