/// What a call means to those that check it.
extension ItemOperation {
    /// The value that it writes.
    var written: Stamp? {
        switch effect {
        case .write(let stamp, _), .create(let stamp, _), .replace(_, let stamp, _), .change(let stamp, _): stamp
        case .read, .look, .remove, .wipe: nil
        }
    }

    /// The timeout of the value that it writes; `nil` where that lives for ever.
    var timeout: UInt32? {
        switch effect {
        case .write(_, let timeout), .create(_, let timeout), .replace(_, _, let timeout), .change(_, let timeout):
            timeout == 0 ? nil : timeout
        case .read, .look, .remove, .wipe: nil
        }
    }

    /// The value that was there when it took effect, as far as it returned one; unknown where its worker was killed.
    var found: Stamp? {
        guard isCertain else { return nil }
        switch effect {
        case .read(let stamp), .replace(let stamp, _, _): return stamp
        case .look, .write, .create, .remove, .wipe, .change: return nil
        }
    }

    /// Whether it leaves the item as it was.
    var isObservation: Bool {
        switch effect {
        case .read, .look: true
        case .remove(let found): isCertain && found == false
        case .write, .create, .wipe, .replace, .change: false
        }
    }

    /// The same call, but it is unknown whether it took effect, and what it found.
    var asUncertain: ItemOperation {
        ItemOperation(worker: worker, effect: effect, invoked: invoked, returned: returned, isCertain: false)
    }

    /// The same call, of an update without what it found.
    var asBlind: ItemOperation {
        guard case .replace(_, let stamp, let timeout) = effect else { return self }
        return ItemOperation(
            worker: worker, effect: .change(to: stamp, timeout: timeout), invoked: invoked, returned: returned,
            isCertain: isCertain
        )
    }
}
