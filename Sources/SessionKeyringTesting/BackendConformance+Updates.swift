import Dispatch
import Glibc
import Keyutils
import SessionKeyring
import Threads

extension BackendConformance {
    static let updates = [
        Check("update makes a new value from the old one, or from nil if there is no item") { store in
            func extend(_ old: String?) -> String? { (old ?? "none") + "+" }
            try expect(try store.blockingUpdate(item, lasting: .scope, extend) == "none+", "from nil")
            try expect(try store.blockingUpdate(item, lasting: .scope, extend) == "none++", "from the old value")
            try expect(try store.get(item) == "none++", "the new value is stored")
        },
        Check("an update to nil deletes the item, and does nothing if there is no item") { store in
            try store.set("1", for: item)
            try expect(
                try store.blockingUpdate(item, lasting: .scope) { (_: String?) in nil } == nil, "update returns nil")
            try expect(try !store.contains(item), "the item is gone")
            try expect(
                try store.blockingUpdate(item, lasting: .scope) { (_: String?) in nil } == nil, "without an item, too")
            try expect(try !store.contains(item), "there is still no item")
        },
        Check("update sets the timeout") { store in
            try store.blockingUpdate(item, lasting: .seconds(100)) { (_: String?) in "1" }
            guard case .after(let left)? = try store.items().first?.expiry else {
                throw Failure(description: "the timeout is reported")
            }
            try expect(left.atLeast <= .seconds(100), "the time left is at most the timeout")
        },
        Check("an update whose closure throws leaves the item unchanged") { store in
            struct Refusal: Error {}
            try store.set("1", for: item)
            do {
                try store.blockingUpdate(item, lasting: .scope) { (_: String?) in throw Refusal() }
                throw Failure(description: "the caller gets the closure's error")
            } catch is Refusal {}
            try expect(try store.get(item) == "1", "the item is unchanged")
            try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "2" }
            try expect(try store.get(item) == "2", "the item can be updated again")
        },
        Check("an update that takes longer than allowed writes nothing") { store in
            try store.set("1", for: item)
            try expect(.leaseLost, "a late update") {
                try store.blockingUpdate(item, lasting: .scope, within: .milliseconds(30)) { (_: String?) in
                    usleep(60_000)
                    return "late"
                }
            }
            try expect(try store.get(item) == "1", "the item is unchanged")
        },
        Check("a write during an update comes after it, and the closure runs once") { store in
            try store.set("1", for: item)
            let written = DispatchGroup()
            var runs = 0
            try store.blockingUpdate(item, lasting: .scope, within: .seconds(60)) { (_: String?) in
                runs += 1
                ThreadTeam.start(in: written) { try? store.set("set", for: item) }
                // Nothing reports that the other thread is waiting.
                usleep(30_000)
                return "updated"
            }
            written.wait()
            try expect(try store.get(item) == "set", "the write that waited is the last one")
            try expect(runs == 1, "the closure runs once")
        },
        Check("no update of several threads is lost") { store in
            try ThreadTeam.run(4) { _ in
                for _ in 0..<25 { try store.blockingUpdate(item, lasting: .scope) { (old: Int?) in (old ?? 0) + 1 } }
            }
            try expect(try store.get(item) == 100, "each update counts once")
        },
        Check("an update does not undo a clear that happens during it") { store in
            try store.set(1, for: item)
            var seen: [Int?] = []
            try store.blockingUpdate(item, lasting: .scope) { (old: Int?) in
                if seen.isEmpty { try store.clear() }
                seen.append(old)
                return (old ?? 100) + 1
            }
            try expect(seen == [1, nil], "the update starts again")
            try expect(try store.get(item) == 101, "it starts from the current state")
        },
    ]

    static let leases = [
        Check("a lease has one holder at a time") { store in
            guard let lease = try store.blockingTryLease("job", lasting: .seconds(20)) else {
                throw Failure(description: "a free lease is granted")
            }
            try expect(lease.isHeld && lease.timeLeft <= .seconds(20) && lease.timeLeft > .seconds(10), "it is held")
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) == nil, "only one gets the lease")
            try expect(.leaseHeld, "waiting for a held lease") {
                _ = try store.blockingLease("job", lasting: .seconds(1), waiting: .milliseconds(20))
            }
            try expect(try store.blockingTryLease("other", lasting: .seconds(1)) != nil, "another lease is free")
            try expect(lease.release(), "it was held until its release")
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) != nil, "a released lease is free again")
        },
        Check("a lease is free after its value goes out of scope") { store in
            do { _ = try store.blockingTryLease("job", lasting: .seconds(20)) }
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) != nil, "the lease is free")
        },
        Check("a lease expires, and its old holder learns of it") { store in
            guard let old = try store.blockingTryLease("job", lasting: .milliseconds(50)) else {
                throw Failure(description: "a free lease is granted")
            }
            let new = try store.blockingLease("job", lasting: .seconds(20), waiting: .seconds(5))
            try expect(!old.isHeld && old.timeLeft == .zero, "the old holder no longer holds it")
            try expect(.leaseLost, "renewing") { try old.renew(lasting: .seconds(1)) }
            try expect(new.fencingNumber > old.fencingNumber, "the fencing number grows")
            try expect(!old.release(), "the old holder has nothing to release")
            try expect(new.isHeld, "the new holder holds it")
        },
        Check("a renewed lease lasts longer") { store in
            guard let lease = try store.blockingTryLease("job", lasting: .milliseconds(500)) else {
                throw Failure(description: "a free lease is granted")
            }
            try lease.renew(lasting: .seconds(20))
            try expect(lease.timeLeft > .seconds(10), "more time is left than at first")
            usleep(510_000)
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) == nil, "nobody else gets the lease")
            try expect(lease.release(), "it was held until its release")
        },
        Check("leases with invalid durations and names are refused") { store in
            for duration in [Duration.zero, .seconds(-1), .seconds(3_601)] {
                try expect(.invalidTimeout, "\(duration)") { _ = try store.blockingTryLease("job", lasting: duration) }
            }
            try expect(.invalidName, "an empty name") { _ = try store.blockingTryLease("", lasting: .seconds(1)) }
        },
        Check("leases are not items") { store in
            let lease = try store.blockingTryLease("job", lasting: .seconds(20))
            try expect(try store.identities().isEmpty, "no item is listed")
            try store.clear()
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) == nil, "clear does not end a lease")
            _ = consume lease
        },
    ]
}
