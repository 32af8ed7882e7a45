import Glibc
import Keyutils

/// The process, the user and the group on the other side of a socket: `struct ucred` of unix(7).
struct PeerCredentials {
    var process: pid_t = 0
    var user = UnixSocket.nobody
    var group: gid_t = UnixSocket.nobody

    init() {}

    /// If the kernel reports no user, it is ``UnixSocket/nobody``.
    init(of socket: CInt) {
        var size = socklen_t(MemoryLayout<PeerCredentials>.size)
        if unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &self, &size) != 0 { self = PeerCredentials() }
    }
}

/// Stream sockets with a name in the file system.
package enum UnixSocket {
    /// The user of processes whose own user is not mapped into our user namespace.
    package static let nobody: UInt32 = 65_534
    /// The most bytes of a path, without the NUL at its end.
    package static let longestPath = 107

    /// Returns the address of a socket with this path, as D-Bus writes it.
    package static func address(of path: String) -> String {
        let plain = "-_/.\\*".utf8
        return path.utf8.reduce(into: "unix:path=") { address, byte in
            if byte.isLetter || byte.isDigit || plain.contains(byte) {
                address.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                address += "%" + byte.hexadecimal(digits: 2)
            }
        }
    }

    /// Connects to a path, or to an abstract name, which begins with NUL; `nil` if nobody listens there.
    static func connect(to name: [UInt8]) -> CInt? {
        unsafe open(name) { socket, address, size in unsafe Glibc.connect(socket, address, size) }
    }

    /// Whether this is the path of a socket that has no listener any more.
    package static func isAbandoned(_ path: String) -> Bool {
        guard let socket = connect(to: Array(path.utf8)) else { return errno == ECONNREFUSED }
        close(socket)
        return false
    }

    /// Creates a socket that listens at this path.
    ///
    /// Connections are possible only from the moment when it listens.
    package static func listen(at path: String) -> CInt? {
        unsafe open(Array(path.utf8)) { socket, address, size in
            guard unsafe bind(socket, address, size) == 0 else { return -1 }
            // As many clients can wait as the kernel allows.
            return Glibc.listen(socket, SOMAXCONN)
        }
    }

    private static func open(
        _ name: [UInt8], _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt? {
        var address = sockaddr_un()
        guard name.count <= longestPath else { return nil }
        let flags = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = socket(AF_UNIX, flags, 0)
        guard socket >= 0 else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in unsafe path.copyBytes(from: name) }
        // An abstract name ends with its last byte, and a path with NUL.
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name.first == 0 ? 0 : 1))
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe use(socket, $0, size) }
        }
        guard result == 0 else {
            let error = errno
            close(socket)
            errno = error
            return nil
        }
        return socket
    }

    static func write(_ text: String, to socket: CInt) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads up to the end of a line, for at most two seconds.
    static func readLine(from socket: CInt) -> String {
        var line: [UInt8] = []
        let end = ContinuousClock.now + .seconds(2)
        while line.count < 1_024, line.last != UInt8(ascii: "\n"), .now < end {
            var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            var byte: UInt8 = 0
            guard unsafe poll(&wanted, 1, 2_000) > 0, unsafe recv(socket, &byte, 1, 0) == 1 else { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
