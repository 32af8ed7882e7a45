import Glibc
import OAuth

/// The server on this machine to which the browser returns.
///
/// Other users of the machine can connect too, so nothing but the state of the login is trusted.
final class LoopbackListener {
    private static let connectionLimit = 16

    let port: UInt16
    private let socket: CInt
    private var connections: [(socket: CInt, bytes: [UInt8])] = []

    /// Listens on 127.0.0.1; `nil` if the port can't be used.
    init?(port: UInt16?) {
        let socket = Glibc.socket(
            AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        // The port of the last login can be used again immediately.
        var reuses: CInt = 1
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(socket, address, size) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, address, &size) == 0
            }
        }
        (self.socket, self.port) = (socket, UInt16(bigEndian: address.sin_port))
        guard isBound else {
            close(socket)
            return nil
        }
    }

    deinit {
        for connection in connections { close(connection.socket) }
        close(socket)
    }

    /// The descriptors to wait for.
    var descriptors: [CInt] { [socket] + connections.map(\.socket) }

    /// Reads from those who have connected; returns the next browser that returns, as its query and its connection.
    func next(_ redirect: Redirect) -> (query: [UInt8], socket: CInt)? {
        while case let accepted = accept(socket, nil, nil), accepted >= 0 {
            _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
            if connections.count == Self.connectionLimit { close(connections.removeFirst().socket) }
            connections.append((accepted, []))
        }
        for (position, connection) in connections.enumerated().reversed() {
            var piece = [UInt8](repeating: 0, count: Redirect.limit - connection.bytes.count)
            let count = unsafe recv(connection.socket, &piece, piece.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            connections[position].bytes += piece.prefix(max(0, count))
            let reading = redirect.read(connections[position].bytes)
            if case .incomplete = reading, count > 0 { continue }
            connections.remove(at: position)
            if case .query(let query) = reading { return (query, connection.socket) }
            Self.answer(404, "There is nothing here.", on: connection.socket)
        }
        return nil
    }

    /// Sends a page that isn't stored, and ends the connection.
    static func answer(_ status: Int, _ text: String, on socket: CInt) {
        let page = "<!doctype html><meta charset=utf-8><title>skr</title><p>\(text)\n"
        let answer = """
            HTTP/1.1 \(status) \(status == 200 ? "OK" : "Error")\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Cache-Control: no-store\r
            Referrer-Policy: no-referrer\r
            Connection: close\r
            \r
            \(page)
            """
        var text = answer
        text.withUTF8 { unsafe _ = send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) }
        shutdown(socket, CInt(SHUT_WR))
        close(socket)
    }
}
