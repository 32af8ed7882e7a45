import Keyutils

/// Reading among many namespaces.
///
/// On every call by serial the kernel looks for the key in all keyrings of the session, one after the other, to learn whether
/// it is possessed. What the thread keyring links is found first. So where there are many, the search for an item links it
/// there for the time of the read, and a list links the namespace's ring for the time of the list.
///
/// This is done only in a thread whose keyring is there and empty: to make one takes a key of the quota for as long as the
/// thread lives, and a link displaces what has its type and name. No link outlives its call, so whoever has lost the session
/// can read nothing through it; the thread keyring of a process that dies in between goes with it.
extension KernelBackend {
    /// Where a link for the time of a call pays and does no harm.
    var nearPlace: Keyring? {
        guard rings.isCrowded, let size = try? Key(Keyring.thread).payloadSize(), size == 0 else { return nil }
        return .thread
    }

    /// Lends the payload that `read` lends, from memory of its own.
    ///
    /// The link is gone before `body` runs, which may stage a key of the same name in the same place.
    func readNear(
        _ place: Keyring, _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> Bool {
        try withKey(of: item, linkingInto: place) { _, key throws(KeyringError) -> Void in
            let payload = try Self.payload(of: key, linkedInto: place)
            payload.withBytes { bytes in body(bytes.extracting(first: PayloadEncoding.secretSize(bytes))) }
        } != nil
    }

    private static func payload(of key: Key, linkedInto place: Keyring) throws(KeyringError) -> SecretBytes {
        defer { try? place.unlink(key) }
        return try key.read()
    }

    /// Runs `body` with the ring linked where the kernel looks first, if that is possible.
    func near<Result>(_ ring: Keyring, _ body: () throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        guard let place = nearPlace, (try? place.link(Key(ring))) != nil else { return try body() }
        defer { try? place.unlink(Key(ring)) }
        return try body()
    }
}
