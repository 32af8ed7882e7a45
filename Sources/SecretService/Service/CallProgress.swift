import Keyutils
import SecretText
import SessionKeyring

/// The state of a call between its attempts: of its change of the store, and of its long list.
struct CallProgress {
    /// How much the next attempt may do.
    var effort = Effort(mayUseLastResorts: false)
    /// When the next attempt has to leave the rest of a long list to a later one.
    var end = ContinuousClock.now
    /// The step of a blocked attempt that others can already see.
    private(set) var step: VisibleStep?
    /// The item that a blocked attempt will store with its texts.
    private(set) var item: ItemIdentity?
    /// Whether the item that was stored with its texts has replaced another one.
    private(set) var replaces = false
    /// The secret that a blocked attempt has begun to store under another name.
    var secret: SecretBox?
    private var setting: SetOperation?
    private var settingWithTexts: TextsSetOperation?
    private var deletion: DeleteOperation?
    private var list: LongList?
    /// Whether an earlier attempt has read the call's arguments, and made a list of them.
    var isInList: Bool { list != nil }

    /// Makes one attempt to store a collection's label.
    ///
    /// - Parameter isAddition: whether an existing label stays as it is.
    /// - Returns: whether the label was stored.
    /// - Throws: ``SecretStoreError``, also if the attempt is blocked, as all of these functions do.
    @discardableResult
    mutating func set(label: String, in store: SecretStore, isAddition: Bool = false) throws(SecretStoreError) -> Bool {
        var operation = if let setting { setting } else { try store.setting(.collectionLabel, isAddition: isAddition) }
        setting = nil
        do throws(SecretStoreError) {
            let outcome = unsafe try operation.attempt(label.utf8Span.span.bytes, effort)
            if outcome.isBlocked, !isAddition { setting = operation }
            step = outcome.step
            try outcome.get()
            return true
        } catch {
            guard error.code == .duplicate else { throw error }
            return false
        }
    }

    /// Makes one attempt to store an item with its texts.
    ///
    /// - Parameter choose: returns what to store; `nil` to leave the item as it is: ``TextsSetOperation``.
    /// - Returns: whether the item was stored.
    mutating func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, in store: SecretStore,
        _ choose: (_ old: [Name: Name]?) -> (timeout: Duration?, texts: [Name: Name])?
    ) throws(SecretStoreError) -> Bool {
        var operation = if let settingWithTexts { settingWithTexts } else { try store.settingWithTexts(item) }
        // It holds the item's lease, which ends with its last copy.
        settingWithTexts = nil
        let effort = effort
        var replaces = replaces
        let outcome = try secret.withBytes { bytes throws(SecretStoreError) in
            try operation.attempt(bytes, effort) { old in
                replaces = old != nil
                return choose(old)
            }
        }
        self.replaces = replaces
        if outcome.isBlocked { settingWithTexts = operation }
        (self.item, step) = (outcome.isBlocked ? item : nil, outcome.step)
        return try outcome.get()
    }

    /// Makes one attempt to change what is known about an item; false if it does not exist.
    mutating func change(
        _ item: ItemIdentity, in store: SecretStore, _ change: (inout ItemDetails) -> Void
    ) throws(SecretStoreError) -> Bool {
        let outcome = try store.changeTexts(of: item, effort) { texts in
            var details = ItemDetails(texts)
            change(&details)
            details.modified = SystemTime.now()
            texts = details.texts
        }
        step = outcome.step
        return try outcome.get()
    }

    /// Makes one attempt to delete an item; false if it did not exist.
    @discardableResult
    mutating func delete(_ item: ItemIdentity, in store: SecretStore) throws(SecretStoreError) -> Bool {
        var operation = if let deletion { deletion } else { try store.deleting(item) }
        let outcome = try operation.attempt(effort)
        (deletion, step) = (operation, outcome.step)
        return try outcome.get()
    }

    /// Looks at the elements of a long list, one after the other, until there is an end or the time is up.
    ///
    /// - Parameter elements: reads the call's arguments and returns the elements, only at the first attempt.
    /// - Throws: ``ServiceFailure/unfinished`` if the next attempt has to continue.
    mutating func list(_ elements: () throws -> [LongList.Element]) throws -> [LongList.Found] {
        var list = try self.list ?? LongList(left: elements().reversed())
        while let element = list.left.popLast() {
            try element(&list)
            guard list.left.isEmpty || .now < end else {
                self.list = list
                throw ServiceFailure.unfinished
            }
        }
        return list.found
    }
}

/// A list that can take longer than one client's turn.
struct LongList {
    /// Looks at an element, adds what it finds, and possibly further elements.
    typealias Element = (inout LongList) throws -> Void

    /// An object that was found.
    struct Found {
        let path: String
        /// In milliseconds since 1970; 0 if unknown.
        var modified: UInt64 = 0
        var write: (inout WireWriter) -> Void = { _ in }
    }

    /// The last one is the next.
    var left: [Element]
    var found: [Found] = []
    /// The number of bytes that the found objects write.
    var size = 0
}
