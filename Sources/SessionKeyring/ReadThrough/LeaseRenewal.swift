/// Renews a lease every now and then, for as long as this value lives.
final class LeaseRenewal: Sendable {
    private let timer: BackgroundTimer

    init(of lease: any LeaseHandle, lasting duration: Duration) {
        timer = BackgroundTimer(after: duration / 3, repeats: true) {
            // A lease that was lost stays so: whoever holds it finds out when it matters.
            _ = try? lease.renew(lasting: duration)
        }
    }
}
