import Keyutils
import SecretText

@testable import SecretService

/// Messages for the tests.
enum Samples {
    /// Encodes a call with these strings as its arguments.
    static func call(
        _ member: String, _ arguments: [String] = [], interface: String? = nil, path: String = SecretService.path,
        destination: String? = SecretService.name, serial: UInt32 = 1
    ) -> [UInt8] {
        call(
            member, signature: String(repeating: "s", count: arguments.count), interface: interface, path: path,
            destination: destination, serial: serial
        ) { writer in for argument in arguments { writer.string(argument) } }
    }

    static func call(
        _ member: String, signature: String, interface: String? = nil, path: String = SecretService.path,
        destination: String? = SecretService.name, serial: UInt32 = 1, _ body: (inout WireWriter) -> Void
    ) -> [UInt8] {
        var header = MessageHeader(kind: .call)
        (header.serial, header.path, header.interface) = (serial, path, interface)
        (header.member, header.destination, header.signature) = (member, destination, signature)
        return bytes(header.encode(body))
    }

    static func bytes(_ box: SecretBox) -> [UInt8] { box.bytes.withBytes { $0.withUnsafeBytes { Array($0) } } }

    /// Joins bytes into messages, in pieces of this size.
    static func messages(in bytes: [UInt8], by size: Int = .max) throws -> [IncomingMessage] {
        var assembler = MessageAssembler()
        var messages: [IncomingMessage] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            var offset = 0
            while offset < piece.count {
                let (count, message) = try assembler.take(piece.span.bytes.extracting(droppingFirst: offset))
                offset += count
                if let message { messages.append(message) }
            }
            rest = rest.dropFirst(piece.count)
        }
        return messages
    }
}
