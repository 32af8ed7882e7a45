import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// A connection that carries messages: from one client, or from a bus with all its clients.
///
/// It never blocks. It keeps a bounded number of bytes: calls that wait, a part of a message, and answers that the other
/// side has not read yet. While all links together keep many bytes, each of them keeps fewer, but enough for a call with
/// the largest secret.
final class Link {
    /// A call whose answer is due.
    struct Call {
        let message: IncomingMessage
        let client: String
        let arrival = ContinuousClock.now
        var wait = Wait(upTo: Link.patience)
        var progress = CallProgress()
        var next = ContinuousClock.now
        /// The bytes of memory that it needs, about.
        var size: Int { message.size + 1_024 }
    }

    /// How long a call waits for other processes.
    static let patience = Duration.milliseconds(800)
    /// How long the other side can take for a message, or leave our answers unread.
    private static let silence = Duration.seconds(30)
    /// How long the authentication can take.
    private static let authenticationLimit = Duration.seconds(10)
    /// From this many kept bytes on, nothing more is read: usually, and while memory is scarce.
    private static let (most, mostIfScarce) = (1 << 20, 64 << 10)
    /// From this many kept bytes of all links on, memory is scarce.
    static let mostOfAll = 16 << 20
    /// The most bytes that are read at a time: they can be many small calls.
    private static let piece = 4_096
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
    /// Whether nothing more can be read, because the other side has closed its end, or has broken the protocol.
    private var isAtEnd = false
    /// Whether the other side has taken too long, or reads too little.
    private var isCut = false
    private(set) var calls: [Call] = []
    private var callBytes = 0
    private var lastClient = ""
    var memoryIsScarce = false
    /// The time that its calls have taken, as ``SecretServer`` counts it.
    var time = Duration.zero
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

    /// Whether the connection should be closed.
    ///
    /// The calls that have arrived before its end are answered first.
    var isOver: Bool { isCut || isAtEnd && calls.isEmpty && unread.isEmpty }

    /// The bytes that are kept for the other side.
    var kept: Int { callBytes + assembler.count + unreadCount }
    private var limit: Int { memoryIsScarce ? Self.mostIfScarce : Self.most }

    /// Whether the other side has read enough of its answers to get more of them.
    var hasRoom: Bool { unreadCount < limit / 4 }

    /// The events to wait for.
    var wanted: pollfd {
        let events = (!isAtEnd && kept < limit ? POLLIN : 0) | (unread.isEmpty ? 0 : POLLOUT)
        // Otherwise, poll(2) would report at once that the other side has gone.
        return pollfd(fd: events == 0 ? -1 : socket, events: Int16(events), revents: 0)
    }

    /// When something has to be done without an event.
    var due: ContinuousClock.Instant? {
        [deadline, hasRoom ? calls.lazy.map(\.next).min() : nil].compactMap(\.self).min()
    }

    func add(_ call: Call) {
        calls.append(call)
        callBytes += call.size
    }

    /// Answers the calls in their order, as far as they are due, until the time.
    ///
    /// If a client's call has to wait for other processes, its later calls wait, too. The calls also wait if the other
    /// side does not read its answers.
    ///
    /// - Parameter answer: returns the pause before the next try if the call is blocked.
    func answerCalls(until end: ContinuousClock.Instant, _ answer: (inout Call) -> Duration?) {
        let now = ContinuousClock.now
        // When the next try of a client's first call is due.
        var blocked: [Name: ContinuousClock.Instant] = [:]
        var remaining: [Call] = []
        // The client that had the last turn comes last: a bus has many clients.
        calls = calls.filter { $0.client != lastClient } + calls.filter { $0.client == lastClient }
        for (position, var call) in calls.enumerated() {
            guard hasRoom, .now < end else {
                remaining += calls[position...]
                break
            }
            call.next = max(call.next, blocked[call.client] ?? call.next)
            if call.next <= now {
                lastClient = call.client
                guard let pause = answer(&call) else {
                    callBytes -= call.size
                    continue
                }
                call.next = .now + pause
            }
            blocked[call.client] = call.next
            remaining.append(call)
        }
        calls = remaining
    }

    /// Reads what has arrived, and gives each message to `take`.
    func receive(_ take: (IncomingMessage) -> Void) {
        var count = 0
        let bytes = unsafe SecretBytes(capacity: Self.piece) { buffer in
            count = unsafe recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            return max(0, count)
        }
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { isAtEnd = true }
        do throws(WireError) {
            try bytes.withBytes { bytes throws(WireError) in try process(bytes, take) }
        } catch {
            isAtEnd = true
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
            isCut = true
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
                // The client has gone, and nobody reads its answers, but its calls are still answered.
                if errno != EAGAIN, errno != EINTR { (unread, sent, unreadCount) = ([], 0, 0) }
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
        if let deadline, now >= deadline { isCut = true }
    }
}
