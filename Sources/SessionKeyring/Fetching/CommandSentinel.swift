import Keyutils

/// The sentinel that records which command printed the value of a cached item.
///
/// It is a hidden item next to the cached one. It contains a hash of the value and a hash of the command line.
///
/// The store writes the value first. A sentinel counts only for the value whose hash it contains. So if a process dies
/// between the two writes, the command of the new value is unknown, and the next caller fetches the value again.
extension SecretBackend {
    /// Returns a hash of the command line that printed this value of the item; `nil` if it is unknown.
    package func command(of item: ItemIdentity, holding value: RawSpan) throws(SecretStoreError) -> UInt64? {
        var command: UInt64?
        _ = try read(item.commandSentinel) { bytes in
            guard bytes.byteCount == 16, bytes.word(at: 0) == FNV1a.hash(of: value) else { return }
            command = bytes.word(at: 8)
        }
        return command
    }

    func commandStep(
        _ command: UInt64, of item: ItemIdentity, holding hash: UInt64, timeout: RunningTimeout?
    ) -> Wait.FurtherStep {
        Wait.FurtherStep { effort throws(SecretStoreError) in
            let words: InlineArray<2, UInt64> = [hash.littleEndian, command.littleEndian]
            return try unsafe self.set(
                words.span.bytes, for: item.commandSentinel, timeout: timeout?.left, effort, after: nil)
        }
    }
}
