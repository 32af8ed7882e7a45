import Glibc
import SessionKeyring
import Testing

@testable import SecretService

@Suite("The interfaces that a bus and its services have in common")
struct PeerTests {
    private let service: TestService
    private let client: ServiceClient
    private static let names = ["org.freedesktop.secrets", "org.freedesktop.DBus"]

    init() throws {
        service = try TestService()
        client = try service.client()
    }

    @Test("the bus and the service answer a ping, and tell the machine's name, at any path", arguments: names)
    func peer(name: String) throws {
        let peer = "org.freedesktop.DBus.Peer"
        for path in ["/", "/org/freedesktop/DBus", ServiceClient.service, "\(ServiceClient.login)/none", "/a"] {
            #expect(throws: Never.self) { try client.call("Ping", interface: peer, at: path, to: name) }
            var answer = try client.call("GetMachineId", interface: peer, at: path, to: name)
            #expect(try answer.string().count == 32)
            #expect(throws: ServiceClient.error("UnknownMethod")) {
                try client.call("Pong", interface: peer, at: path, to: name)
            }
        }
    }

    @Test("each object is found from the root", arguments: names)
    func tree(name: String) throws {
        let item = try client.create(["a": "b"], "s")
        var (found, waiting): ([String], [String]) = ([], ["/"])
        while let path = waiting.popLast() {
            found.append(path)
            var answer = try client.call(
                "Introspect", interface: "org.freedesktop.DBus.Introspectable", at: path, to: name)
            for child in try answer.string().split(separator: "<node name=\"").dropFirst() {
                waiting.append("\(path == "/" ? "" : path)/\(child.prefix { $0 != "\"" })")
            }
        }
        let expected =
            name == "org.freedesktop.DBus"
            ? ["/org/freedesktop/DBus"] : [ServiceClient.service, ServiceClient.login, item]
        #expect(Set(found).isSuperset(of: ["/", "/org", "/org/freedesktop"] + expected), "\(found)")
        for path in ["/or", "/org/freedesktop/none", "/org/gnome"] {
            #expect(throws: ServiceClient.Failure.self) { try client.call("Introspect", at: path, to: Self.names[0]) }
        }
    }

    @Test("a message of an unknown kind is ignored")
    func ignored() throws {
        var unknown = BusWriter.call("Ping", at: "/", to: nil, serial: 5)
        unknown[1] = 77
        try client.send(unknown)
        #expect(try client.search([:]) == [])
    }

    @Test("descriptors that a client sends are closed")
    func descriptors() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let call = BusWriter.call("GetId", at: "/org/freedesktop/DBus", to: Self.names[1], serial: 5)
        try send(call, with: ends[1])
        close(ends[1])
        service.serve()
        #expect(try client.search([:]) == [])
        // The last descriptor of the other end is closed.
        var (end, byte) = (pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0), UInt8(0))
        #expect(poll(&end, 1, 0) == 1 && read(ends[0], &byte, 1) == 0)
        close(ends[0])
    }

    /// Sends bytes with a descriptor, as `SCM_RIGHTS` of unix(7).
    private func send(_ bytes: [UInt8], with descriptor: CInt) throws {
        // struct cmsghdr: its length, SOL_SOCKET and SCM_RIGHTS; then the descriptor.
        var control: [UInt64] = [20, UInt64(SOL_SOCKET) | 1 << 32, UInt64(descriptor)]
        var bytes = bytes
        let sent = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
                    return sendmsg(client.socket, &message, 0)
                }
            }
        }
        try #require(sent == bytes.count)
    }
}
