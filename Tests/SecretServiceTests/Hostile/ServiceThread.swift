import Foundation
import Glibc
import SessionKeyring
import Threads

@testable import SecretService

/// A service that runs in a thread of this process, with a real socket.
final class ServiceThread: Sendable {
    /// The service's abstract name, which begins with NUL.
    let path: String
    private let stop: CInt
    private let ended = DispatchSemaphore(value: 0)

    init(_ scope: SecretScope, namespace: String = "default", timeouts: TimeoutRules = TimeoutRules()) throws {
        path = "\0skr-test-\(UUID().uuidString)"
        guard let listener = UnixSocket.listen(at: path) else { throw ServiceClient.Failure(name: "no socket") }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ServiceClient.Failure(name: "no pipe") }
        stop = ends[1]
        let service = Locked(try SecretService(scope, namespace: namespace, timeouts: timeouts))
        Thread.detachNewThread { [ended, reading = ends[0]] in
            service.withLock { service in
                let server = SecretServer(service, listener: listener)
                var wanted = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                while poll(&wanted, 1, 0) == 0 { server.serve(until: .now + .seconds(5), or: [reading]) }
            }
            close(listener)
            close(reading)
            ended.signal()
        }
    }

    deinit {
        close(stop)
        ended.wait()
    }
}
