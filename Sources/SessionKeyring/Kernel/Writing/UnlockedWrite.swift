/// Whether a write that took no lease was through in time: soon enough after the look that showed no update flag.
struct UnlockedWrite {
    /// To be made before the look at the flag.
    private let look = BootTime.ofThisNamespace()

    /// Whether the write may begin.
    var mayBegin: Bool { .ofThisNamespace() < look + NamespaceRings.unlockedStart }

    /// Whether a process that raises the flag later sees what was written.
    var isInTime: Bool { .ofThisNamespace() < look + NamespaceRings.unlockedLimit }
}
