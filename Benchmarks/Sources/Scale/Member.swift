import Glibc
import Keyutils
import SessionKeyring

/// One of the crowd, in its own process.
struct Member {
    static let itemCount = 20

    enum Command: Int32 {
        case idle, get, set, list, check
    }

    let number: Int
    let channel: CInt

    /// Says which keys hold its items, then does as it is told until the channel is closed.
    func live() -> Never {
        do {
            let store = try SecretStore(namespace: "scale")
            let value = SecretBytes(copying: Array("of session \(number)".utf8))
            for item in items { try store.set(value, for: item, timeout: Bench.timeout) }
            let ring = Keyring(try Keyring.resolve(.sessionKeyring).search(.keyring, "skr:scale").serial)
            try send(try ring.members().map(\.rawValue))
            while let (command, serials) = receive() { try obey(command, serials, store, value) }
            _exit(0)
        } catch {
            Output.complaint("member \(number): \(error)")
            _exit(70)
        }
    }

    private var items: [ItemIdentity] {
        (0..<Self.itemCount).map { .password(service: "scale", account: "item-\($0)") }
    }

    private func obey(
        _ command: Command, _ serials: [Int32], _ store: SecretStore, _ value: borrowing SecretBytes
    ) throws {
        try send([command == .check ? (isAlone(store, serials) ? 1 : 0) : 1])
        guard command != .check, command != .idle else { return }
        var waiting = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) == 0 {
            for _ in 0..<(command == .list ? 1 : 20) {
                switch command {
                case .get: _ = try store.withBytes(of: items[0]) { _ in }
                case .set: try store.set(value, for: items[0], timeout: Bench.timeout)
                default: _ = try store.items()
                }
            }
        }
    }

    private func isAlone(_ store: SecretStore, _ foreign: [Int32]) throws -> Bool {
        guard try Set(store.identities()) == Set(items) else { return false }
        for item in items {
            let isOwn = try store.get(item)?.withBytes { bytes in
                bytes.withUnsafeBytes { $0.elementsEqual("of session \(number)".utf8) }
            }
            guard isOwn == true else { return false }
        }
        for serial in foreign {
            do {
                _ = try Key(KeySerial(rawValue: serial)).withPayload { $0.byteCount }
                return false
            } catch {
                guard error.code == .accessDenied else { throw error }
            }
        }
        return true
    }

    private func send(_ words: [Int32]) throws {
        guard write(channel, words, words.count * 4) == words.count * 4 else { throw Failure.ofCall("write") }
    }

    private func receive() -> (Command, [Int32])? {
        var words = [Int32](repeating: 0, count: 1 + Self.itemCount)
        let size = read(channel, &words, words.count * 4)
        guard size > 0, let command = Command(rawValue: words[0]) else { return nil }
        return (command, Array(words[1..<(size / 4)]))
    }
}
