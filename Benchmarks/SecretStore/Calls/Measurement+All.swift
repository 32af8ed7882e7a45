import Benchmark
import Foundation
import SessionKeyring

extension Measurement {
    static let all: [Measurement] = [
        call(.get, "get, scoped, 200 B", atMost: 1.05, size: 200),
        call(.get, "get, scoped, 2000 B", atMost: 1.05, size: 2_000),
        call(.ownedGet, "get, owned, 200 B", atMost: 1.20, size: 200),
        call(.ownedGet, "get, owned, 2000 B", atMost: 1.45, size: 2_000),
        call(.rawGet, "get, raw Keyutils, 200 B", atMost: nil, size: 200),
        call(.rawGet, "get, raw Keyutils, 2000 B", atMost: nil, size: 2_000),
        codable,
        call(.set, "set with timeout, 200 B", atMost: 1.10, size: 200, calls: 20),
        call(.set, "set with timeout, 2000 B", atMost: 1.10, size: 2_000, calls: 20),
        call(.list, "list 100 items", atMost: 1.15, size: 200, items: 100, calls: 1),
        Measurement(name: "clear 100 items", limit: 1.10, calls: 1, iterations: 300) {
            let bench = try Workbench(size: 200, count: 100)
            // Each side fills the ring itself: the time of a single call depends on whether its code has just run.
            return bench.contest(.clear, after: { try bench.fill() }, inSwift: bench.fillInSwift)
        },
        call(.lease, "lease, acquired and released", atMost: nil, size: 200, calls: 20),
        crowded(10, atMost: 1.30), crowded(10, atMost: nil, inC: true),
    ]

    private static func call(
        _ call: Workbench.Call, _ name: String, atMost limit: Double?, size: Int, items: Int = 1, calls: Int = 50
    ) -> Measurement {
        Measurement(name: name, limit: limit, calls: calls) { try Workbench(size: size, count: items).contest(call) }
    }

    /// Compares with the least that decoding costs: an owned get, and the decoder alone on the same bytes.
    private static let codable = Measurement(
        name: "get Codable, JSON", limit: 1.05, reference: "x (owned get + JSONDecoder)", calls: 20
    ) {
        let json = try JSONEncoder().encode(AccessToken.sample)
        let bench = try Workbench(payload: Array(json))
        let decoder = JSONDecoder()
        return Contest(
            baseline: Contest.repeating {
                try bench.work(.ownedGet)
                blackHole(try decoder.decode(AccessToken.self, from: json).expires)
            },
            work: Contest.repeating {
                guard let token = try bench.store.get(bench.items[0], as: AccessToken.self) else {
                    throw Failure("a get failed")
                }
                blackHole(token.expires)
            })
    }

    /// A get in a session with this many other namespaces, against a get in a session without others.
    ///
    /// The variant in C shows the kernel's part of the cost.
    private static func crowded(_ others: Int, atMost limit: Double?, inC: Bool = false) -> Measurement {
        Measurement(
            name: "get, \(others) other namespaces" + (inC ? ", in C" : ""), limit: limit, reference: "x alone",
            iterations: 200
        ) {
            let alone = Lane { try gets(among: 1, inC: inC) }
            let crowded = Lane { try gets(among: others + 1, inC: inC) }
            return Contest(baseline: alone.run, work: crowded.run)
        }
    }

    /// Gets from one namespace after the other.
    ///
    /// The kernel searches the namespaces one by one for the calling thread's right to read. So the cost of a get
    /// depends on the position of its namespace, which is why each namespace is read in turn.
    private static func gets(among count: Int, inC: Bool) throws -> Contest.Side {
        let benches = try (0..<count).map { try Workbench(namespace: "application-\($0)", size: 200) }
        var turn = 0
        return Contest.repeating {
            turn = turn + 1 == count ? 0 : turn + 1
            try inC ? benches[turn].baseline(.get) : benches[turn].work(.get)
        }
    }
}

/// The data that a client of a web service keeps.
private struct AccessToken: Codable {
    let accessToken: String
    let expires: Date
    let refreshToken: String

    /// A sample whose access token has 1 KB.
    ///
    /// It is not a secret.
    static let sample = AccessToken(
        accessToken: String(repeating: "eyJhbGciOiJFUzI1", count: 64),
        expires: Date(timeIntervalSince1970: 1_800_000_000),
        refreshToken: String(repeating: "0123456789abcdef", count: 4)
    )
}
