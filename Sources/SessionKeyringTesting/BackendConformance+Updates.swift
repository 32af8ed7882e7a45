import Glibc
import SessionKeyring
import Threads

extension BackendConformance {
    private static let item = ItemIdentity.password(service: "service", account: "account")

    static let updates = [
        Check("update makes a new value of the old one, and of none") { store in
            func extend(_ old: String?) -> String? { (old ?? "none") + "+" }
            try expect(try store.blockingUpdate(item, timeout: nil, extend) == "none+", "of none")
            try expect(try store.blockingUpdate(item, timeout: nil, extend) == "none++", "of the old one")
            try expect(try store.get(item) == "none++", "it is stored")
        },
        Check("update to nothing deletes, and of nothing does nothing") { store in
            try store.set("1", for: item)
            try expect(
                try store.blockingUpdate(item, timeout: nil) { (_: String?) in nil } == nil, "nothing is the new value")
            try expect(try !store.contains(item), "the item is gone")
            try expect(
                try store.blockingUpdate(item, timeout: nil) { (_: String?) in nil } == nil, "nothing of nothing")
            try expect(try !store.contains(item), "it is still gone")
        },
        Check("update sets the timeout") { store in
            try store.blockingUpdate(item, timeout: .seconds(100)) { (_: String?) in "1" }
            guard case .after(let left)? = try store.items().first?.expiry else {
                throw Failure(description: "a timeout is told")
            }
            try expect(left.atLeast <= .seconds(100), "no more is left than was given")
        },
        Check("an update whose change throws leaves the item as it was") { store in
            struct Refusal: Error {}
            try store.set("1", for: item)
            do {
                try store.blockingUpdate(item, timeout: nil) { (_: String?) in throw Refusal() }
                throw Failure(description: "what change throws comes through")
            } catch is Refusal {}
            try expect(try store.get(item) == "1", "the item is as it was")
            try store.blockingUpdate(item, timeout: nil) { (_: String?) in "2" }
            try expect(try store.get(item) == "2", "and can be updated")
        },
        Check("an update that takes longer than it may has written nothing") { store in
            try store.set("1", for: item)
            try expect(.leaseLost, "late") {
                try store.blockingUpdate(item, timeout: nil, lasting: .milliseconds(30)) { (_: String?) in
                    usleep(60_000)
                    return "late"
                }
            }
            try expect(try store.get(item) == "1", "the item is as it was")
        },
        Check("updates of several threads lose nothing") { store in
            try ThreadTeam.run(4) { _ in
                for _ in 0..<50 { try store.blockingUpdate(item, timeout: nil) { (old: Int?) in (old ?? 0) + 1 } }
            }
            try expect(try store.get(item) == 200, "each counted once")
        },
        Check("a clear during an update is not undone by it") { store in
            try store.set(1, for: item)
            var seen: [Int?] = []
            try store.blockingUpdate(item, timeout: nil) { (old: Int?) in
                if seen.isEmpty { try store.clear() }
                seen.append(old)
                return (old ?? 100) + 1
            }
            try expect(seen == [1, nil], "it begins again")
            try expect(try store.get(item) == 101, "and goes by what is there")
        },
    ]

    static let leases = [
        Check("a lease is held by one at a time") { store in
            guard let lease = try store.blockingTryLease("job", lasting: .seconds(20)) else {
                throw Failure(description: "a free lease is granted")
            }
            try expect(lease.isHeld && lease.timeLeft <= .seconds(20) && lease.timeLeft > .seconds(10), "and held")
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) == nil, "not a second time")
            try expect(.leaseHeld, "waiting in vain") {
                _ = try store.blockingLease("job", lasting: .seconds(1), waiting: .milliseconds(20))
            }
            try expect(try store.blockingTryLease("other", lasting: .seconds(1)) != nil, "another name is free")
            try expect(lease.release(), "it was held to the end")
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) != nil, "and is free again")
        },
        Check("a lease that is dropped is free") { store in
            do { _ = try store.blockingTryLease("job", lasting: .seconds(20)) }
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) != nil, "free")
        },
        Check("a lease ends by itself, and its holder is told") { store in
            guard let old = try store.blockingTryLease("job", lasting: .milliseconds(50)) else {
                throw Failure(description: "a free lease is granted")
            }
            let new = try store.blockingLease("job", lasting: .seconds(20), waiting: .seconds(5))
            try expect(!old.isHeld && old.timeLeft == .zero, "the old holder knows")
            try expect(.leaseLost, "renewing") { try old.renew(lasting: .seconds(1)) }
            try expect(new.fencingNumber > old.fencingNumber, "the fencing number grows")
            try expect(!old.release(), "the old holder has nothing to give back")
            try expect(new.isHeld, "the new one holds it")
        },
        Check("a renewed lease lasts") { store in
            guard let lease = try store.blockingTryLease("job", lasting: .milliseconds(500)) else {
                throw Failure(description: "a free lease is granted")
            }
            try lease.renew(lasting: .seconds(20))
            try expect(lease.timeLeft > .seconds(10), "longer than at first")
            usleep(510_000)
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) == nil, "nobody else gets it")
            try expect(lease.release(), "it was held to the end")
        },
        Check("leases of bad durations and names are refused") { store in
            for duration in [Duration.zero, .seconds(-1), .seconds(3_601)] {
                try expect(.invalidTimeout, "\(duration)") { _ = try store.blockingTryLease("job", lasting: duration) }
            }
            try expect(.invalidName, "no name") { _ = try store.blockingTryLease("", lasting: .seconds(1)) }
        },
        Check("leases are no items") { store in
            let lease = try store.blockingTryLease("job", lasting: .seconds(20))
            try expect(try store.identities().isEmpty, "no item is listed")
            try store.clear()
            try expect(try store.blockingTryLease("job", lasting: .seconds(1)) == nil, "and clear leaves them")
            _ = consume lease
        },
    ]
}
