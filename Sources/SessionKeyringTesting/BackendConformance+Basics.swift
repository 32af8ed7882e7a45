import Keyutils
import SessionKeyring

extension BackendConformance {
    static let basics = [
        Check("an empty store has no items") { store in
            try expect(try store.get(item) == nil as [UInt8]?, "get returns nil")
            try expect(try !store.contains(item), "contains returns false")
            try expect(try !store.delete(item), "delete returns false")
            try expect(try !store.expire(item, timeout: .seconds(9)), "expire returns false")
            try expect(try store.items().isEmpty && store.identities().isEmpty, "the lists are empty")
            try store.clear()
        },
        Check("get returns exactly the bytes that were set") { store in
            let bytes = (0...255).map { UInt8($0) } + (0...255).map { UInt8(255 - $0) }
            try store.set(bytes, for: item)
            try expect(try store.get(item) == bytes, "all byte values are kept")
            try expect(try store.contains(item), "contains returns true")
        },
        Check("set replaces the value") { store in
            for value in ["first", "a second one that is longer", "3"] {
                try store.set(value, for: item)
                try expect(try store.get(item) == value, "get returns the newest value")
            }
            try expect(try store.identities() == [item], "there is still one item")
        },
        Check("delete removes one item, and returns true only once") { store in
            let other = ItemIdentity.password(service: "service", account: "other")
            try store.set("1", for: item)
            try store.set("2", for: other)
            try expect(try store.delete(item), "the first delete finds the item")
            try expect(try !store.delete(item), "the second delete finds nothing")
            try expect(try store.get(item) == nil as String?, "the item is gone")
            try expect(try store.get(other) == "2", "the other item is still there")
        },
        Check("clear removes everything") { store in
            for number in 0..<20 { try store.set("\(number)", for: .password(service: "s\(number)")) }
            try store.clear()
            try expect(try store.identities().isEmpty, "no item is left")
            try store.set("again", for: item)
            try expect(try store.get(item) == "again", "the store still works")
        },
        Check("attributes(of:) describes one item, and returns nil for an absent one") { store in
            try expect(try store.attributes(of: item) == nil, "an absent item has no attributes")
            try store.set("12345", for: item, lasting: .seconds(100))
            try store.set("1", for: .password(service: "other"))
            guard let found = try store.attributes(of: item), case .after(let left) = found.expiry else {
                throw Failure(description: "the timeout is reported")
            }
            try expect(found.item == item && found.size == 5, "the attributes are those of the item")
            try expect(left.atLeast <= .seconds(100), "the time left is at most the timeout")
            try expect(left.atLeast + left.precision > .seconds(90), "the time left is close to the timeout")
            try expect(try store.attributes(of: .password(service: "other"))?.expiry == .never, "it never expires")
        },
        Check("a slot has the operations of the store for its item") { store in
            let slot = store.slot(for: item, as: Int.self, lasting: .seconds(100))
            try expect(try slot.loadIfPresent() == nil && !slot.delete(), "an empty slot has no value")
            try expect(.notFound, "load") { _ = try slot.load() }
            try slot.save(1)
            try expect(try slot.load() == 1 && store.get(item) == 1, "the saved value is stored")
            try expect(try store.attributes(of: item)?.expiry != .never, "it has the slot's lifetime")
            try slot.save(3, lasting: .seconds(10))
            guard case .after(let left) = try store.attributes(of: item)?.expiry, left.atLeast <= .seconds(10) else {
                return try expect(false, "the lifetime given to save replaces the slot's")
            }
            try expect(try slot.load() == 3, "the saved value is stored")
            try expect(try slot.delete() && !store.contains(item), "delete removes the item")
        },
        Check("items lists names, sizes and expiry, sorted by name") { store in
            try store.set("12345", for: .password(service: "b"), lasting: .seconds(100))
            try store.set("", for: .password(service: "a"))
            let items = try store.items()
            try expect(items.map(\.item.service) == ["a", "b"], "the items are sorted by name")
            try expect(items.map(\.size) == [0, 5], "the sizes are those of the secrets")
            try expect(items[0].expiry == .never, "it never expires")
            guard case .after(let left) = items[1].expiry else { throw Failure(description: "the timeout is reported") }
            try expect(left.atLeast <= .seconds(100), "the time left is at most the timeout")
            try expect(left.atLeast + left.precision > .seconds(90), "the time left is close to the timeout")
        },
    ]

    /// Stores the bytes and reads them back; a size that only the user's quota can't hold is left out.
    private static func expectKept(_ bytes: [UInt8], in store: SecretStore) throws {
        do throws(SecretStoreError) {
            try store.set(bytes, for: item)
        } catch {
            guard error.isLimitOfQuota, bytes.count > 16_384 else { throw error }
            return
        }
        try expect(try store.get(item) == bytes, "\(bytes.count) bytes are kept")
    }

    static let sizes = [
        Check("empty and all-NUL secrets of any size are stored unchanged") { store in
            for count in [0, 1, 2, 3, 255, 256, 4_096, 32_766] {
                try expectKept([UInt8](repeating: 0, count: count), in: store)
            }
        },
        Check("NUL bytes before and after other bytes are kept") { store in
            for bytes: [UInt8] in [[0, 1], [1, 0], [0, 0, 7, 0, 0]] {
                try store.set(bytes, for: item)
                try expect(try store.get(item) == bytes, "\(bytes.count) bytes with NULs among them")
            }
        },
        Check("secrets of up to 32,767 bytes are stored unchanged") { store in
            for count in [1, 1_023, 4_095, 4_096, 4_097, 32_766, 32_767] {
                try expectKept((0..<count).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) }, in: store)
            }
        },
        Check("a secret that is too large is refused, and the previous value stays") { store in
            try store.set("before", for: item)
            do {
                try store.set([UInt8](repeating: 1, count: 1_048_576), for: item)
            } catch let error as SecretStoreError {
                guard case .tooLarge(1_048_576, _) = error.code else { throw error }
                try expect(try store.get(item) == "before", "the previous value is unchanged")
                return
            }
            throw Failure(description: "1,048,576 bytes are refused")
        },
    ]
}
