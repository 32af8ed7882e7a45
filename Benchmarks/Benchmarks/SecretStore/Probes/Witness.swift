import CWitness
import Foundation
import SessionKeyring

/// What a get and a clear really do: which system calls they make, what they allocate and lock, whether memory grows.
///
/// A process of its own, in front of whose C library a library that counts was loaded (Witness/preload.c).
struct Witness: Codable {
    static let verb = "witness"

    struct Costs: Codable {
        /// Of 10,000 gets.
        let allocations: Int
        let locks: Int
        /// Resident pages that came with a million gets.
        let pagesGrown: Int
    }

    struct Calls: Codable {
        let all: Int
        let ofKeyrings: Int
    }

    let scoped: Costs
    let owned: Costs
    /// `nil` where a process may not be traced.
    let get: Calls?
    let clear: Calls?

    /// Prints what was found as JSON.
    static func run() -> CInt {
        do {
            Session.joinOwn()
            let bench = try Workbench(size: 200, itemCount: 100)
            let found = try Witness(
                scoped: costs { try bench.getScoped() },
                owned: costs { try bench.getOwned() },
                get: calls { try bench.getScoped() },
                clear: calls { try bench.store.clear() }
            )
            FileHandle.standardOutput.write(try JSONEncoder().encode(found))
            return 0
        } catch {
            Console.fail("witness: \(error)")
        }
    }

    private static func costs(_ body: () throws -> Void) throws -> Costs {
        guard witness_allocations() >= 0 else { throw NotPreloaded() }
        // What is made only once is made before anything is counted.
        _ = try residentPages()
        for _ in 0..<10_000 { try body() }
        let before = (witness_allocations(), witness_locks())
        for _ in 0..<10_000 { try body() }
        let after = (witness_allocations(), witness_locks())
        let pages = try residentPages()
        for _ in 0..<1_000_000 { try body() }
        return Costs(
            allocations: after.0 - before.0, locks: after.1 - before.1, pagesGrown: try residentPages() - pages)
    }

    private static func residentPages() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw Missing() }
        return pages
    }

    private static func calls(_ body: @escaping () throws -> Void) throws -> Calls? {
        try body()
        let traced = Traced(body)
        var counts = [Int](repeating: 0, count: Int(WITNESS_CALLS))
        let outcome = witness_system_calls(
            { context in
                guard let context else { return }
                Unmanaged<Traced>.fromOpaque(context).takeUnretainedValue().run()
            }, Unmanaged.passUnretained(traced).toOpaque(), &counts)
        guard outcome == 0 else { return nil }
        try traced.outcome.get()
        return Calls(all: counts.reduce(0, +), ofKeyrings: counts[Int(witness_keyctl_number())])
    }

    private struct NotPreloaded: Error {}
}

/// A body for C to call.
private final class Traced {
    private let body: () throws -> Void
    private(set) var outcome = Result<Void, any Error>.success(())

    init(_ body: @escaping () throws -> Void) {
        self.body = body
    }

    func run() {
        outcome = Result { try body() }
    }
}

extension Workbench {
    fileprivate func getScoped() throws {
        guard try store.withBytes(of: item, { $0.byteCount }) == payload.count else { throw Missing() }
    }

    fileprivate func getOwned() throws {
        guard let secret = try store.get(item), secret.count == payload.count else { throw Missing() }
    }
}
