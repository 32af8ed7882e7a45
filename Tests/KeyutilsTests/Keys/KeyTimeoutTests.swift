import Keyutils
import Testing

@Suite("Timeouts")
struct KeyTimeoutTests {
    @Test(
        "a duration is rounded up to whole seconds",
        arguments: [
            (.seconds(1), 1), (.seconds(90), 90), (.milliseconds(1), 1), (.milliseconds(1_001), 2),
            (.nanoseconds(1), 1), (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
            (Duration(secondsComponent: 59, attosecondsComponent: 1), 60),
            (.seconds(4_294_967_294), 4_294_967_294),
            (Duration(secondsComponent: 4_294_967_294, attosecondsComponent: 1), 4_294_967_295),
        ] as [(Duration, UInt32)]
    )
    func roundsUp(_ duration: Duration, _ seconds: UInt32) throws {
        #expect(try KeyTimeout(duration).seconds == seconds)
    }

    @Test(
        "a duration that can't be a timeout is refused",
        arguments: [
            .zero, .seconds(-1), .nanoseconds(-1), Duration(secondsComponent: 0, attosecondsComponent: -1),
            Duration(secondsComponent: 4_294_967_295, attosecondsComponent: 1), .seconds(4_294_967_296),
            .seconds(Int64.max), .seconds(Int64.min),
        ] as [Duration]
    )
    func refused(_ duration: Duration) {
        #expect(throws: KeyringError(.invalidArgument, in: .setTimeout)) { try KeyTimeout(duration) }
    }

    @Test("the longest timeout is exactly UInt32.max seconds")
    func longest() throws {
        #expect(try KeyTimeout(.seconds(4_294_967_295)) == .longest)
        #expect(KeyTimeout.longest.seconds == .max)
        #expect(KeyTimeout.longest.duration == .seconds(4_294_967_295))
    }

    @Test("a timeout prints as seconds, with the unit")
    func text() throws {
        #expect(try KeyTimeout(.milliseconds(89_500)).description == "90s")
    }
}
