/// The properties of a call that the checks use.
extension ItemOperation {
    /// The value that the call writes.
    var written: Stamp? {
        switch effect {
        case .write(let stamp, _), .create(let stamp, _), .replace(_, let stamp, _), .change(let stamp, _): stamp
        case .read, .look, .remove, .wipe: nil
        }
    }

    /// The timeout of the value that the call writes, in seconds; `nil` if the value never expires.
    var timeout: UInt32? {
        switch effect {
        case .write(_, let timeout), .create(_, let timeout), .replace(_, _, let timeout), .change(_, let timeout):
            timeout == 0 ? nil : timeout
        case .read, .look, .remove, .wipe: nil
        }
    }

    /// The value that the call found when it took effect, if it returned one.
    ///
    /// It is also `nil` if it is unknown, because the worker was killed during the call.
    var found: Stamp? {
        guard isCertain else { return nil }
        switch effect {
        case .read(let stamp), .replace(let stamp, _, _): return stamp
        case .look, .write, .create, .remove, .wipe, .change: return nil
        }
    }

    /// Whether the call leaves the item unchanged.
    var isObservation: Bool {
        switch effect {
        case .read, .look: true
        case .remove(let found): isCertain && found == false
        case .write, .create, .wipe, .replace, .change: false
        }
    }
}
