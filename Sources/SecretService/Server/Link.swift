import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// A connection that carries messages: from one client, or from a bus with all its clients.
///
/// It never blocks. It keeps a bounded number of bytes from the other side, and of bytes that the other side has not
/// read yet.
final class Link {
    /// A call whose answer is due.
    struct Call {
        let message: IncomingMessage
        let client: String
        let arrival = ContinuousClock.now
        var wait = Wait(upTo: Link.patience, quota: Link.patience)
        var change = StoreChange()
        var next = ContinuousClock.now
    }

    /// How long a call waits for other processes.
    static let patience = Duration.milliseconds(800)
    /// How long the other side can take for a message, or leave our answers unread.
    private static let silence = Duration.seconds(30)
    /// How long the authentication can take.
    private static let authenticationLimit = Duration.seconds(10)
    /// From this many unread bytes on, or waiting calls, no more calls are read.
    private static let (mostUnread, mostCalls) = (256 << 10, 64)
    /// How long the calls of a link are answered before the other links have their turn.
    static let share = Duration.milliseconds(5)
    /// The most unread bytes to which a signal is added.
    private static let mostSignals = 1 << 20

    let socket: CInt
    /// The process and the user of the other side.
    let credentials: PeerCredentials
    private var authentication: Authentication?
    private var assembler = MessageAssembler()
    private var unread: [SecretBox] = []
    private var sent = 0
    private var unreadCount = 0
    private var deadline: ContinuousClock.Instant?
    /// Whether the connection should be closed.
    private(set) var isOver = false
    var calls: [Call] = []
    /// The unique name of the client, once it has said hello.
    var name: String?
    var rules: [MatchRule] = []
    var callCount = 0

    /// - Parameter authentication: the steps before the first message; `nil` if they are done.
    init(_ socket: CInt, _ credentials: PeerCredentials, _ authentication: Authentication?) {
        (self.socket, self.credentials, self.authentication) = (socket, credentials, authentication)
        deadline = authentication == nil ? nil : .now + Self.authenticationLimit
    }

    deinit {
        close(socket)
    }

    /// Whether the other side has read enough of its answers to get more of them.
    var hasRoom: Bool { unreadCount < Self.mostUnread }

    /// The events to wait for.
    var events: Int16 {
        let reads = hasRoom && calls.count < Self.mostCalls
        return Int16((reads ? POLLIN : 0) | (unread.isEmpty ? 0 : POLLOUT))
    }

    /// When something has to be done without an event.
    var due: ContinuousClock.Instant? {
        ([deadline] + (hasRoom ? calls.map(\.next) : [])).compactMap(\.self).min()
    }

    /// Reads what has arrived, and gives each message to `take`.
    func receive(_ take: (IncomingMessage) -> Void) {
        var count = 0
        // The largest size that the arena keeps for the next time.
        let bytes = unsafe SecretBytes(capacity: 32_768) { buffer in
            count = unsafe recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            return max(0, count)
        }
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { isOver = true }
        do throws(WireError) {
            try bytes.withBytes { bytes throws(WireError) in try process(bytes, take) }
        } catch {
            isOver = true
        }
    }

    func process(_ bytes: RawSpan, _ take: (IncomingMessage) -> Void) throws(WireError) {
        var offset = 0
        while offset < bytes.byteCount, authentication != nil {
            if let answer = try authentication?.take(bytes[offset]) { send(SecretBox(SecretBytes(utf8: answer))) }
            if authentication?.isDone == true { (authentication, deadline) = (nil, nil) }
            offset += 1
        }
        var wasInside = assembler.isInside
        while offset < bytes.byteCount {
            let (taken, message) = try assembler.take(bytes.extracting(droppingFirst: offset))
            offset += taken
            guard let message else { continue }
            take(message)
            wasInside = false
        }
        guard authentication == nil, unread.isEmpty else { return }
        if !assembler.isInside { deadline = nil } else if !wasInside { deadline = .now + Self.silence }
    }

    /// Sends a message, or as much of it as the other side takes now.
    func send(_ message: SecretBox, asSignal: Bool = false) {
        guard message.count > 0 else { return }
        guard !asSignal || unreadCount < Self.mostSignals else {
            isOver = true
            return
        }
        unread.append(message)
        unreadCount += message.count
        flush()
    }

    func flush() {
        while let first = unread.first {
            let count = first.bytes.withBytes { bytes in
                unsafe bytes.extracting(droppingFirst: sent).withUnsafeBytes { bytes in
                    unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
                }
            }
            guard count > 0 else {
                if errno != EAGAIN, errno != EINTR { isOver = true }
                break
            }
            (sent, unreadCount) = (sent + count, unreadCount - count)
            if authentication == nil { deadline = .now + Self.silence }
            if sent == first.count {
                unread.removeFirst()
                sent = 0
            }
        }
        // The time for the authentication stays as it is.
        guard authentication == nil else { return }
        if unread.isEmpty {
            deadline = assembler.isInside ? .now + Self.silence : nil
        } else if deadline == nil {
            deadline = .now + Self.silence
        }
    }

    /// Ends a connection on which nothing has moved for too long.
    func checkDeadline(_ now: ContinuousClock.Instant) {
        if let deadline, now >= deadline { isOver = true }
    }
}
