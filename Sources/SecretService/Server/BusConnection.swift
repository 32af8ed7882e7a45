import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// Our connection to a bus, as one of its clients.
package final class BusConnection {
    /// The reason why a bus can't be used, for people.
    package struct Failure: Error {
        package let message: String
        /// Whether something is there, but does not answer.
        package var isSilent = false
    }

    let link: Link
    private(set) var serial: UInt32 = 0
    /// The messages that have arrived, but that nobody has waited for.
    private(set) var early: [IncomingMessage] = []

    /// Connects to the first address that works, such as `unix:path=/run/user/1000/bus`.
    package init(to addresses: String) throws(Failure) {
        var found: CInt?
        for address in addresses.split(separator: ";") where found == nil { found = Self.connect(String(address)) }
        guard let socket = found else { throw Failure(message: "no bus answers at \(addresses)") }
        // A service trusts its bus, which says who calls.
        let owner = PeerCredentials(of: socket).user
        guard owner == geteuid() || owner == 0 else {
            close(socket)
            throw Failure(message: "the bus at \(addresses) belongs to user \(owner)")
        }
        let line = Self.authenticate(socket)
        guard line.hasPrefix("OK "), UnixSocket.write("BEGIN\r\n", to: socket) else {
            close(socket)
            let problem = line.isEmpty ? "does not answer" : "refuses this user"
            throw Failure(message: "the bus at \(addresses) \(problem)", isSilent: line.isEmpty)
        }
        link = Link(socket, PeerCredentials(), nil)
        _ = try call("Hello")
    }

    private static func connect(_ address: String) -> CInt? {
        guard address.hasPrefix("unix:") else { return nil }
        var name: [UInt8] = []
        for field in address.dropFirst(5).split(separator: ",") {
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = PercentCoding.bytes(of: parts[1].utf8) else { continue }
            switch parts[0] {
            case "path": name = value
            case "abstract": name = [0] + value
            default: break
            }
        }
        guard !name.isEmpty else { return nil }
        return UnixSocket.connect(to: name)
    }

    /// Sends the client's side of the authentication, and returns the line with which the bus answers.
    private static func authenticate(_ socket: CInt) -> String {
        let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
        guard UnixSocket.write("\0AUTH EXTERNAL \(user)\r\n", to: socket) else { return "" }
        return UnixSocket.readLine(from: socket)
    }

    /// Calls a method with arguments that are strings, and waits at most five seconds for the answer.
    ///
    /// - Parameter number: a further argument.
    func call(
        _ member: String, _ arguments: [String] = [], number: Int? = nil,
        to destination: String = "org.freedesktop.DBus", at path: String = "/org/freedesktop/DBus",
        interface: String = "org.freedesktop.DBus"
    ) throws(Failure) -> WireReader {
        serial += 1
        var header = MessageHeader(kind: .call)
        (header.serial, header.path, header.interface) = (serial, path, interface)
        (header.member, header.destination) = (member, destination)
        header.signature = String(repeating: "s", count: arguments.count) + (number == nil ? "" : "u")
        link.send(
            header.encode { writer in
                for argument in arguments { writer.string(argument) }
                if let number { writer.number(number) }
            })
        let end = ContinuousClock.now + .seconds(5)
        while !link.isOver, .now < end {
            var wanted = link.wanted
            guard unsafe poll(&wanted, 1, 100) > 0 else { continue }
            link.flush()
            var answer: IncomingMessage?
            link.receive { message in
                if message.header.replySerial == serial { answer = message } else { early.append(message) }
            }
            guard let answer else { continue }
            guard answer.header.kind == .reply, let body = answer.body else {
                throw Failure(message: "\(member): \(answer.header.errorName ?? "no answer")")
            }
            return body
        }
        throw Failure(message: "\(member): no answer within five seconds", isSilent: true)
    }

    /// Takes the name of the Secret Service.
    ///
    /// - Returns: false if another program has it.
    package func takeName() throws(Failure) -> Bool {
        _ = try call("AddMatch", ["type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"])
        let doNotQueue = 4
        var answer = try call("RequestName", [SecretService.name], number: doNotQueue)
        return (try? answer.number()) == 1
    }

    /// Asks the Secret Service of this bus for its report; `nil` if it is not ours.
    package func report() -> String? {
        var answer = try? call(
            "Report", to: SecretService.name, at: SecretService.path, interface: Interface.status.name)
        return try? answer?.string()
    }

    /// Whether any program has the name of the Secret Service.
    package var hasService: Bool {
        var answer = try? call("NameHasOwner", [SecretService.name])
        return (try? answer?.bool()) ?? false
    }
}
