import Benchmark
import Foundation
import Keyutils
import SessionKeyring

extension Measurement {
    static let sizes = [200, 2_000]
    static let crowds = [10, 100, 1_000]
    static let listed = 100

    /// All that the benchmark tool can measure.
    static let all: [Measurement] =
        sizes.flatMap { [raw($0), scoped($0), owned($0), set($0)] }
        + [codable, list, clear, lease] + crowds.map(crowded)

    static func raw(_ size: Int) -> Measurement {
        Measurement("Keyutils search and read, \(size) B") {
            let bench = try Workbench(size: size)
            return bench.contest({ try bench.floorGet() }) {
                let key = try bench.ring.search(.user, bench.item.keyDescription)
                blackHole(try key.withPayload { bytes in bytes.byteCount })
            }
        }
    }

    static func scoped(_ size: Int) -> Measurement {
        Measurement("get, scoped, \(size) B") {
            let bench = try Workbench(size: size)
            return bench.contest({ try bench.floorGet() }) {
                let count = try bench.store.withBytes(of: bench.item) { bytes in bytes.byteCount }
                guard count == size else { throw Missing() }
            }
        }
    }

    static func owned(_ size: Int) -> Measurement {
        Measurement("get, owned, \(size) B") {
            let bench = try Workbench(size: size)
            return bench.contest({ try bench.floorGet() }) {
                guard let secret = try bench.store.get(bench.item) else { throw Missing() }
                blackHole(secret.count)
            }
        }
    }

    static func set(_ size: Int) -> Measurement {
        Measurement("set with timeout, \(size) B", calls: 20) {
            let bench = try Workbench(size: size)
            let secret = SecretBytes(copying: bench.payload)
            return bench.contest({ try bench.floorSet() }) {
                try bench.store.set(secret, for: bench.item, timeout: Workbench.timeout)
            }
        }
    }

    /// Against what anybody pays who decodes: the bytes, owned, and the decoder alone on the same bytes.
    static let codable = Measurement("get, Codable", calls: 20) {
        let json = try JSONEncoder().encode(AccessToken.sample)
        let bench = try Workbench(payload: Array(json))
        let decoder = JSONDecoder()
        return bench.contest({
            guard let secret = try bench.store.get(bench.item) else { throw Missing() }
            blackHole(secret.count)
            blackHole(try decoder.decode(AccessToken.self, from: json).expires)
        }) {
            guard let token = try bench.store.get(bench.item, as: AccessToken.self) else { throw Missing() }
            blackHole(token.expires)
        }
    }

    static let list = Measurement("list \(listed) items", calls: 1) {
        let bench = try Workbench(size: 200, itemCount: listed)
        return bench.contest({ try bench.floorList() }) {
            guard try bench.store.identities().count == listed else { throw Missing() }
        }
    }

    static let clear = Measurement("clear \(listed) items", calls: 1, iterations: 300) {
        let bench = try Workbench(size: 200, itemCount: listed)
        return Contest(
            floor: Contest.each(after: bench.fill) { try bench.floorClear() },
            work: Contest.each(after: bench.fill) { try bench.store.clear() },
            settle: bench.settle
        )
    }

    static let lease = Measurement("lease, acquired and released", calls: 20) {
        let bench = try Workbench(size: 200)
        return bench.contest({ try bench.floorLease() }) {
            guard let lease = try bench.store.tryLease("store", lasting: .seconds(60)) else { throw Missing() }
            guard lease.release() else { throw Missing() }
        }
    }

    /// A get in a session with that many other namespaces, against one in a session with none.
    static func crowded(_ others: Int) -> Measurement {
        Measurement("get, \(others) other namespaces", iterations: others > 100 ? 60 : 200) {
            let alone = Lane { try Crowd(namespaces: 1).get }
            let crowded = Lane { try Crowd(namespaces: others + 1).get }
            return Contest(floor: alone.run, work: crowded.run)
        }
    }
}

/// What a client of a web service keeps.
struct AccessToken: Codable {
    let accessToken: String
    let expires: Date
    let refreshToken: String

    /// With an access token of 1 KB; not a secret.
    static let sample = AccessToken(
        accessToken: String(repeating: "eyJhbGciOiJFUzI1", count: 64),
        expires: Date(timeIntervalSince1970: 1_800_000_000),
        refreshToken: String(repeating: "0123456789abcdef", count: 4)
    )
}
