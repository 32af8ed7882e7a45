import Keyutils
import SessionKeyring

extension BackendConformance {
    private static let item = ItemIdentity.password(service: "service", account: "account")

    static let basics = [
        Check("an empty store has nothing") { store in
            try expect(try store.get(item) == nil as [UInt8]?, "get gives nothing")
            try expect(try !store.contains(item), "contains says no")
            try expect(try !store.delete(item), "delete says there was none")
            try expect(try !store.expire(item, timeout: .seconds(9)), "expire says there was none")
            try expect(try store.items().isEmpty && store.identities().isEmpty, "the lists are empty")
            try store.clear()
        },
        Check("what is set is what is got, byte for byte") { store in
            let bytes = (0...255).map { UInt8($0) } + (0...255).map { UInt8(255 - $0) }
            try store.set(bytes, for: item)
            try expect(try store.get(item) == bytes, "all byte values survive")
            try expect(try store.contains(item), "contains says yes")
        },
        Check("set replaces the value") { store in
            for value in ["first", "a second one that is longer", "3"] {
                try store.set(value, for: item)
                try expect(try store.get(item) == value, "the newest value is got")
            }
            try expect(try store.identities() == [item], "there is one item still")
        },
        Check("delete removes one item and says so once") { store in
            let other = ItemIdentity.password(service: "service", account: "other")
            try store.set("1", for: item)
            try store.set("2", for: other)
            try expect(try store.delete(item), "the first delete finds it")
            try expect(try !store.delete(item), "the second does not")
            try expect(try store.get(item) == nil as String?, "it is gone")
            try expect(try store.get(other) == "2", "the other one is not")
        },
        Check("clear removes everything") { store in
            for number in 0..<20 { try store.set("\(number)", for: .password(service: "s\(number)")) }
            try store.clear()
            try expect(try store.identities().isEmpty, "nothing is left")
            try store.set("again", for: item)
            try expect(try store.get(item) == "again", "the store still works")
        },
        Check("clear of a service deletes what all its accounts have, and nothing else") { store in
            let others = [
                ItemIdentity.internet(server: "service"), .password(service: "service 2"), .key(tag: "service"),
            ]
            for item in [item, .password(service: "service")] + others { try store.set("1", for: item) }
            try expect(try store.clear(of: .password, service: "service") == 2, "it says how many there were")
            try expect(try Set(store.identities()) == Set(others), "the others are there")
            try expect(try store.clear(of: .password, service: "service") == 0, "and then there are none")
        },
        Check("attributes of one item are told, and of an absent one are none") { store in
            try expect(try store.attributes(of: item) == nil, "of an absent one")
            try store.set("12345", for: item, timeout: .seconds(100))
            try store.set("1", for: .password(service: "other"))
            guard let found = try store.attributes(of: item), case .after(let left) = found.expiry else {
                throw Failure(description: "a timeout is told")
            }
            try expect(found.item == item && found.size == 5, "of just that item")
            try expect(left.atLeast <= .seconds(100), "no more is left than was given")
            try expect(left.atLeast + left.precision > .seconds(90), "hardly anything is gone yet")
            try expect(try store.attributes(of: .password(service: "other"))?.expiry == .never, "no timeout, no expiry")
        },
        Check("a slot can all that the store can for its item") { store in
            let slot = store.slot(for: item, as: Int.self, timeout: .seconds(100))
            try expect(try !slot.contains() && !slot.expire(timeout: .seconds(9)) && !slot.delete(), "nothing is there")
            try expect(try slot.attributes() == nil && slot.loadIfPresent() == nil, "nothing is told")
            try expect(.notFound, "load") { _ = try slot.load() }
            try slot.add(1)
            try expect(.duplicate, "add") { try slot.add(2) }
            try expect(try slot.load() == 1 && slot.contains(), "what was added is there")
            try expect(try slot.attributes()?.expiry != .never, "with the slot's timeout")
            try slot.save(3, timeout: .seconds(10))
            guard case .after(let left) = try slot.attributes()?.expiry, left.atLeast <= .seconds(10) else {
                return try expect(false, "a timeout of its own counts")
            }
            try expect(try slot.load() == 3, "what was saved is there")
            try expect(try slot.expire(timeout: .seconds(100)) && slot.attributes()?.expiry != .never, "expire")
            try expect(try slot.delete() && !slot.contains(), "delete")
        },
        Check("items tells names, sizes and expiry, sorted") { store in
            try store.set("12345", for: .password(service: "b"), timeout: .seconds(100))
            try store.set("", for: .password(service: "a"))
            let items = try store.items()
            try expect(items.map(\.item.service) == ["a", "b"], "sorted by name")
            try expect(items.map(\.size) == [0, 5], "the sizes are those of the secrets")
            try expect(items[0].expiry == .never, "no timeout, no expiry")
            guard case .after(let left) = items[1].expiry else { throw Failure(description: "a timeout is told") }
            try expect(left.atLeast <= .seconds(100), "no more is left than was given")
            try expect(left.atLeast + left.precision > .seconds(90), "hardly anything is gone yet")
        },
    ]

    static let sizes = [
        Check("empty and all-NUL secrets of any size survive") { store in
            for count in [0, 1, 2, 3, 255, 256, 4_096, 32_766] {
                let bytes = [UInt8](repeating: 0, count: count)
                try store.set(bytes, for: item)
                try expect(try store.get(item) == bytes, "\(count) NUL bytes")
            }
        },
        Check("NUL bytes before and after others survive") { store in
            for bytes: [UInt8] in [[0, 1], [1, 0], [0, 0, 7, 0, 0]] {
                try store.set(bytes, for: item)
                try expect(try store.get(item) == bytes, "\(bytes.count) bytes with NULs among them")
            }
        },
        Check("secrets up to 32,767 bytes survive") { store in
            for count in [1, 1_023, 4_095, 4_096, 4_097, 32_766, 32_767] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) }
                try store.set(bytes, for: item)
                try expect(try store.get(item) == bytes, "\(count) bytes")
            }
        },
        Check("a secret that is too large is refused, and the one before stays") { store in
            try store.set("before", for: item)
            do {
                try store.set([UInt8](repeating: 1, count: 1_048_576), for: item)
            } catch let error as SecretStoreError {
                guard case .tooLarge(1_048_576, let limit) = error.code, limit >= 32_767 else { throw error }
                try expect(try store.get(item) == "before", "the value before is untouched")
                return
            }
            throw Failure(description: "1,048,576 bytes are refused")
        },
    ]
}
