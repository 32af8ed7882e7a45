import Testing

@testable import Keyutils

/// Tests that run on every kernel; those in `KernelLabWatcherTests.swift` need one that reports changes.
@Suite("Events of watched keys")
struct KeyEventTests {
    private static let key = Key(KeySerial(rawValue: 7))
    private static let member = Key(KeySerial(rawValue: 9))

    @Test(
        "each of the kernel's records is read as the event that it stands for",
        arguments: [
            (0x0000_0000, key, .watchRemoved), (0x0100_0000, nil, .eventsLost),
            (0x0200_0000, key, .unknown(subtype: 2)), (0x0000_0001, key, .instantiated), (0x0100_0001, key, .updated),
            (0x0200_0001, key, .linked(member)),
            (0x0300_0001, key, .unlinked(member)), (0x0400_0001, key, .cleared), (0x0500_0001, key, .revoked),
            (0x0600_0001, key, .invalidated), (0x0700_0001, key, .attributesChanged),
            (0x0800_0001, key, .unknown(subtype: 8)),
        ] as [(UInt32, Key?, KeyEvent.Change)])
    func records(type: UInt32, key: Key?, change: KeyEvent.Change) {
        #expect(KeyEvent(words: (type: type, key: 7, auxiliary: 9)) == KeyEvent(key: key, change: change))
    }

    @Test("a full buffer reports no loss")
    func full() async {
        let delivery = Delivery()
        for number in 1...KeyWatcher.queueCapacity { delivery.deliver(number) }
        #expect(await delivery.end() == (1...KeyWatcher.queueCapacity).map(Delivery.event))
    }

    @Test("the newest events are kept, with a report of the loss after each half of a buffer")
    func lost() async {
        let delivery = Delivery()
        for number in 1...1_000 { delivery.deliver(number) }
        let lost = [KeyEvent(key: nil, change: .eventsLost)]
        #expect(
            await delivery.end()
                == (747...773).map(Delivery.event) + lost + (774...902).map(Delivery.event) + lost
                + (903...1_000).map(Delivery.event))
    }

    @Test("a reader that has missed events finds a report of the loss after them, however slowly it reads")
    func slowReader() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = seed
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((random >> 33) % UInt64(bound))
        }
        var gaps = 0
        for _ in 0..<200 {
            let delivery = Delivery()
            var taken: [KeyEvent] = []
            // There may be more, because reports of a loss are not counted.
            var buffered = 0
            for number in 1...(500 + next(500)) {
                delivery.deliver(number)
                buffered = min(buffered + 1, KeyWatcher.queueCapacity)
                guard next(100) == 0 else { continue }
                let count = next(buffered + 1)
                taken += await delivery.take(count)
                buffered -= count
            }
            taken += await delivery.end()

            var last = Int32(0)
            var isReported = true
            for event in taken {
                if event.change == .eventsLost { isReported = true }
                guard let number = event.key?.serial.rawValue else { continue }
                #expect(number > last, "seed \(seed)")
                if number > last + 1 {
                    gaps += 1
                    isReported = false
                }
                last = number
            }
            #expect(isReported, "seed \(seed)")
        }
        #expect(gaps > 0, "seed \(seed)")
    }

    /// A stream like a watcher's.
    private final class Delivery {
        private let continuation: AsyncStream<KeyEvent>.Continuation
        private let delivery: EventDelivery
        private var iterator: AsyncStream<KeyEvent>.Iterator

        init() {
            let (events, continuation) = AsyncStream.makeStream(
                of: KeyEvent.self, bufferingPolicy: .bufferingNewest(KeyWatcher.queueCapacity))
            self.continuation = continuation
            delivery = EventDelivery(to: continuation)
            iterator = events.makeAsyncIterator()
        }

        static func event(_ number: Int) -> KeyEvent {
            KeyEvent(key: Key(KeySerial(rawValue: Int32(number))), change: .updated)
        }

        func deliver(_ number: Int) { delivery.yield(Self.event(number)) }

        /// Takes as many events, which must have been delivered.
        func take(_ count: Int) async -> [KeyEvent] {
            var taken: [KeyEvent] = []
            while taken.count < count, let event = await iterator.next(isolation: nil) { taken.append(event) }
            return taken
        }

        /// Takes all that are left.
        func end() async -> [KeyEvent] {
            continuation.finish()
            return await take(.max)
        }
    }
}
