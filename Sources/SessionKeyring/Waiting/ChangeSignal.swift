import Keyutils

/// Waits for a change of a namespace's items and leases, on kernels that report changes.
///
/// Kernels don't report that a lease or an item has expired, so each wait ends after at most 250 ms.
public final class ChangeSignal: Sendable {
    private static let limit = Duration.milliseconds(250)
    private static let isSupported = (try? KeyringCapabilities.query().contains(.notifications)) ?? false

    private let queue: KeyEventQueue

    /// Begins to watch; `nil` if the kernel does not report changes, or not to this process.
    init?(_ rings: NamespaceRings) {
        var attempt = BackendAttempt(mayUseLastResorts: false)
        guard Self.isSupported, let pair = try? rings.pair(&attempt), let queue = try? KeyEventQueue(),
            (try? queue.watch(Key(pair.items))) != nil,
            (try? queue.watch(Key(pair.leases))) != nil
        else { return nil }
        self.queue = queue
    }

    func wait(upTo duration: Duration) {
        queue.wait(upTo: min(duration, Self.limit))
    }

    func waitInTask(upTo duration: Duration) async {
        await queue.waitInTask(upTo: min(duration, Self.limit))
    }
}
