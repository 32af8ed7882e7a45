import Glibc
package import Keyutils

extension KernelBackend {
    package func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try liveMembers().map { $0.item }
    }

    /// Returns the items that have hidden items next to them; the items themselves may be absent.
    ///
    /// For example, an item that is being fetched has one.
    package func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> {
        guard let ring = try rings.findItems() else { return [] }
        var found: Set<ItemIdentity> = []
        let members = try inStoreTerms { () throws(KeyringError) in try ring.members() }
        for serial in members {
            // A key that has vanished, or that this process can't look at, reveals nothing.
            guard let description = try? Key(serial).describe(), description.type == .user, description.isExact,
                let item = ItemIdentity(ofHidden: description.name)
            else { continue }
            found.insert(item)
        }
        return found
    }

    package func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        try itemLeases.sweep()
        var list: [ItemAttributes] = []
        var (looks, items) = try looksAtMembers()
        // If an item is replaced before the table is read, look at it again, a few times.
        for round in 1...SecondLooks.tableLooks where !looks.isEmpty || !items.isEmpty {
            for item in items {
                if let look = try lookIfReadable(at: item) { looks.append(look) }
            }
            // If `/proc` is hidden or hides a key, the list is still valid, with an unknown expiry.
            let table = try? KeyTable.snapshot()
            items = []
            for look in looks {
                let entry = table?[look.member.key.serial]
                if entry == nil, table != nil, round < SecondLooks.tableLooks {
                    items.append(look.member.item)
                } else {
                    list.append(ItemAttributes(look, expiry: ItemAttributes.Expiry(entry?.expiry)))
                }
            }
            looks = []
        }
        return list
    }

    package func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        for round in 1...SecondLooks.tableLooks {
            guard let look = try look(at: item) else { return nil }
            let table = try? KeyTable.snapshot()
            let entry = table?[look.member.key.serial]
            // An item that was replaced in between is looked at again. If `/proc` is hidden or hides the key, the other
            // attributes are still valid.
            if entry != nil || table == nil || round == SecondLooks.tableLooks {
                return ItemAttributes(look, expiry: ItemAttributes.Expiry(entry?.expiry))
            }
        }
        return nil
    }

    /// Returns the members of the ring that can't be described, and the items that can't be read.
    ///
    /// The same may be true, for a moment, of a key that is being displaced. So this looks at each of them twice.
    package func unreadableKeys() throws(SecretStoreError) -> [KeySerial] {
        guard let ring = try rings.findItems() else { return [] }
        return try inStoreTerms { () throws(KeyringError) -> [KeySerial] in
            let suspects = try ring.members().filter(Self.isRefused)
            guard !suspects.isEmpty else { return [] }
            SecondLooks.afterUnreadableKeys()
            let there = Set(try ring.members())
            return suspects.filter { there.contains($0) && Self.isRefused($0) }
        }
    }

    private static func isRefused(_ serial: KeySerial) -> Bool {
        do throws(KeyringError) {
            let key = try Key(serial).describe()
            guard key.type == .user, ItemIdentity(keyDescription: key.name) != nil else {
                return false
            }
            _ = try Key(serial).payloadSize()
            return false
        } catch {
            return error.code == .accessDenied
        }
    }

    fileprivate struct Look {
        let member: Member
        let size: Int
    }

    /// Looks at each live item without searching for it.
    ///
    /// - Returns: the looks, and the items that were replaced or died before the look.
    private func looksAtMembers() throws(SecretStoreError) -> (looks: [Look], missed: [ItemIdentity]) {
        let members = try liveMembers()
        var looks: [Look] = []
        var missed: [ItemIdentity] = []
        looks.reserveCapacity(members.count)
        for member in members {
            do throws(KeyringError) {
                looks.append(try Self.look(at: member))
            } catch {
                guard error.isKeyGoneOrRefused else { throw SecretStoreError(error, item: member.item) }
                missed.append(member.item)
            }
        }
        return (looks, missed)
    }

    /// Looks at an item; `nil` if it is absent or can't be read.
    ///
    /// A list leaves out items that can't be read. ``unreadableKeys()`` reports them.
    private func lookIfReadable(at item: ItemIdentity) throws(SecretStoreError) -> Look? {
        do throws(SecretStoreError) {
            return try look(at: item)
        } catch {
            guard error.code == .forbidden, error.detail == nil else { throw error }
            return nil
        }
    }

    private func look(at item: ItemIdentity) throws(SecretStoreError) -> Look? {
        try withKey(of: item) { _, key throws(KeyringError) in
            var text = Self.roomForTexts(1)
            let length = try key.describe(into: &text)
            let fields = try unsafe DescriptionFields(parsing: text.span.bytes.extracting(first: length))
            return try Self.look(at: Member(item: item, key: key, fields: fields))
        }
    }

    private static func look(at member: Member) throws(KeyringError) -> Look {
        Look(member: member, size: try member.key.withPayload { PayloadEncoding.secretSize($0) })
    }

    fileprivate struct Member {
        let item: ItemIdentity
        let key: Key
        let fields: DescriptionFields
    }

    /// Lists the ring's live items and their keys, each item once.
    ///
    /// Dead keys and other programs' keys are left out. A key may vanish after it was listed and before this process
    /// looks at it. Its successor, which has the same name, was not in that listing. So the ring is listed again as
    /// long as keys vanish.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if keys vanished every time, so that the list might
    ///   be incomplete.
    private func liveMembers() throws(SecretStoreError) -> [Member] {
        var found: [Member] = []
        var gone: Set<KeySerial> = []
        for round in 1...SecondLooks.displacedKeys {
            SecondLooks.keepApart(round)
            guard let ring = try rings.findItems() else { return [] }
            do throws(KeyringError) {
                let listing = try collect(ring, in: &found, gone: &gone)
                // A ring has only one key of each name.
                if listing.vanished == 0, round == 1 { return found }
                guard listing.vanished == 0 || round >= SecondLooks.quickRounds else { continue }
                var items = Self.unique(found.filter { listing.members.contains($0.key.serial) })
                guard listing.vanished > 0 else { return items }
                // The vanished keys may have the names of items that are known from earlier rounds.
                let (names, count) = (Set(items.map(\.item)), items.count)
                for member in Self.unique(found) where !names.contains(member.item) {
                    if try isInUse(member.item, in: ring) { items.append(member) }
                }
                if items.count - count >= listing.vanished { return items }
            } catch {
                throw SecretStoreError(error)
            }
        }
        throw SecretStoreError(.contended)
    }

    /// The result of listing the ring once.
    private struct Listing {
        let members: Set<KeySerial>
        /// How many keys were gone before this process looked at them.
        var vanished = 0
    }

    /// Returns whether the item has a live key.
    private func isInUse(_ item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            return try nameState(of: item, in: ring).key != nil
        } catch {
            // The key exists, but this process can't look at it.
            guard error.code == .accessDenied else { throw error }
            return true
        }
    }

    /// Lists the ring and adds its live items.
    ///
    /// If a key is listed a second time and still can't be looked at, it has not vanished. Either it was invalidated
    /// and the kernel has not collected it yet, or this process isn't allowed to look at it.
    private func collect(
        _ ring: Keyring, in found: inout [Member], gone: inout Set<KeySerial>
    ) throws(KeyringError) -> Listing {
        // A key's type and name never change, so they are read only once.
        let known = Set(found.lazy.map { $0.key.serial })
        var texts = Self.roomForTexts(known.count + 64)
        var (lines, end): ([Line], Int) = ([], 0)
        // Do nothing between the listing and the looks: if many processes write, a key exists for microseconds.
        let members = try ring.members()
        var listing = Listing(members: known.isEmpty && gone.isEmpty ? [] : Set(members))
        let knownOthers = rings.otherMembers.withLock { $0 }
        var others: [Int32] = []
        for serial in members where !known.contains(serial) {
            if Self.contains(knownOthers, serial.rawValue) {
                others.append(serial.rawValue)
                continue
            }
            do throws(KeyringError) {
                let length = try Key(serial).describe(into: &texts, at: end)
                guard let line = try unsafe Line(serial, at: end, of: length, in: texts.span.bytes) else {
                    others.append(serial.rawValue)
                    continue
                }
                lines.append(line)
                end += length
            } catch {
                guard error.isKeyGoneOrRefused else { throw error }
                if !error.isKeyDead, gone.insert(serial).inserted { listing.vanished += 1 }
            }
        }
        unsafe Self.add(&lines, of: texts.span.bytes, in: &found)
        if !others.isEmpty || !knownOthers.isEmpty {
            others.sort()
            rings.otherMembers.withLock { $0 = others }
        }
        return listing
    }

    private static func contains(_ sorted: [Int32], _ serial: Int32) -> Bool {
        var range = 0..<sorted.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            if sorted[middle] == serial { return true }
            range = sorted[middle] < serial ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }

    /// Adds the keys that are items, in the order of their names' bytes.
    ///
    /// A caller that sorts the items by their descriptions then finds them in order. Comparing strings here would take
    /// several times as long.
    private static func add(_ lines: inout [Line], of texts: RawSpan, in found: inout [Member]) {
        unsafe texts.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            lines.sort { left, right in
                let (left, right) = (left.name, right.name)
                let size = min(left.count, right.count)
                let order = unsafe memcmp(start + left.lowerBound, start + right.lowerBound, size)
                return order == 0 ? left.count < right.count : order < 0
            }
        }
        found.reserveCapacity(found.count + lines.count)
        for line in lines {
            guard let item = ItemIdentity(keyDescription: texts.extracting(line.name)) else { continue }
            found.append(Member(item: item, key: Key(line.serial), fields: line.fields))
        }
    }

    /// The description of one key, as a part of the text that contains the descriptions of all keys.
    private struct Line {
        let serial: KeySerial
        let fields: DescriptionFields
        /// The position of the name in the whole text.
        let name: Range<Int>

        /// Parses a description; `nil` if a key of this type or name can't be an item, such as a hidden one.
        init?(_ serial: KeySerial, at start: Int, of length: Int, in texts: RawSpan) throws(KeyringError) {
            let text = texts.extracting(start..<start + length)
            fields = try DescriptionFields(parsing: text)
            guard text.extracting(fields.type).holds("user"), ItemIdentity.isOfKind(text.extracting(fields.name))
            else { return nil }
            self.serial = serial
            name = start + fields.name.lowerBound..<start + fields.name.upperBound
        }
    }

    /// Returns room for the descriptions of this many keys; it grows if the names are long.
    private static func roomForTexts(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: 1_024 + count * 64) }

    /// Removes the duplicates of items: if there were several looks at an item, the last one counts.
    private static func unique(_ members: [Member]) -> [Member] {
        var found: [Member] = []
        var places: [ItemIdentity: Int] = [:]
        for member in members {
            if let place = places[member.item] {
                found[place] = member
            } else {
                places[member.item] = found.count
                found.append(member)
            }
        }
        return found
    }
}

extension ItemAttributes {
    fileprivate init(_ look: KernelBackend.Look, expiry: Expiry) {
        let (member, fields) = (look.member, look.member.fields)
        self.init(
            item: member.item, size: look.size, expiry: expiry, serial: member.key.serial, userID: fields.userID,
            groupID: fields.groupID, permissions: fields.permissions)
    }
}

extension ItemAttributes.Expiry {
    init(_ entry: KeyTable.Entry.Expiry?) {
        switch entry {
        case .never: self = .never
        case .left(let time): self = .after(time)
        // A key that has expired since it was described. The next list leaves it out.
        case .expired, nil: self = .unknown
        }
    }
}
