import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring
import Threads

/// Items in memory, for the model of a process that dies between two of its changes.
final class MemoryItems: ItemSource {
    private struct State {
        var items: [ItemIdentity: String]
        var changesLeft: Int?
    }

    private let state: Locked<State>

    init(_ items: [ItemIdentity: String]) {
        state = Locked(State(items: items))
    }

    var contents: [ItemIdentity: String] { state.withLock { $0.items } }

    /// The number of changes that succeed before one throws; `nil` for no limit.
    var changesLeft: Int? {
        get { state.withLock { $0.changesLeft } }
        set { state.withLock { $0.changesLeft = newValue } }
    }

    func identities() -> [ItemIdentity] { state.withLock { Array($0.items.keys) } }

    func get(_ item: ItemIdentity) -> SecretBytes? {
        state.withLock { $0.items[item] }.map { SecretBytes(utf8: $0) }
    }

    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        let text = secret.withBytes { String(lossy: $0) }
        try change { $0[item] = text }
    }

    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        guard state.withLock({ $0.items[item] }) != nil else { return false }
        try change { $0[item] = nil }
        return true
    }

    private func change(_ body: (inout [ItemIdentity: String]) -> Void) throws(SecretStoreError) {
        let isAlive = state.withLock { state in
            if let left = state.changesLeft {
                guard left > 0 else { return false }
                state.changesLeft = left - 1
            }
            body(&state.items)
            return true
        }
        guard isAlive else { throw SecretStoreError(.unavailable) }
    }
}
