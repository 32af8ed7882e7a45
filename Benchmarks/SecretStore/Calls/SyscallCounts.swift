import Foundation
import SyscallCounter

/// Counts the system calls, allocations and locks of a get and a clear, and how much memory grows.
///
/// A separate process counts, with a library that is loaded before the C library (SyscallCounter/preload.c).
enum SyscallCounts {
    static let word = "count-calls"
    /// The pages by which memory may grow: the C library and the kernel add some on their own.
    private static let growth = 16

    static func rows() throws -> [Row] {
        Console.note("counting calls, locks and allocations")
        return try Program.withTemporaryDirectory { folder in
            let source = Program.directory + "SyscallCounter/preload.c"
            try Program.output(of: ["cc", "-O2", "-shared", "-fPIC", "-o", folder + "preload.so", source])
            let output = try Program.output(
                of: [Program.path, word], environment: ["LD_PRELOAD": folder + "preload.so"])
            return try JSONDecoder().decode([Row].self, from: output)
        }
    }

    /// Counts, and prints the rows as JSON.
    static func count() throws -> CInt {
        let bench = try Workbench(size: 200, count: 100)
        let scoped = try costs(bench.inSwift(.get))
        let owned = try costs(bench.inSwift(.ownedGet))
        let rows = [
            callsRow("system calls of a get", limit: 2, bench.inSwift(.get)),
            callsRow("system calls of a clear of 100", limit: 1, bench.inSwift(.clear)),
            Row(
                "locks taken in 10,000 gets, scoped / owned", limit: "0 / 0",
                measured: "\(scoped.locks) / \(owned.locks)", isReached: scoped.locks == 0 && owned.locks == 0),
            Row(
                "allocations in 10,000 gets, scoped / owned", limit: "0 / 10,000",
                measured: "\(scoped.allocations) / \(owned.allocations)",
                isReached: scoped.allocations == 0 && owned.allocations <= 10_000),
            Row(
                "pages grown in 1,000,000 gets, scoped / owned", limit: "none (<= \(growth))",
                measured: "\(scoped.pages) / \(owned.pages)", isReached: max(scoped.pages, owned.pages) <= growth),
        ]
        Console.line(String(decoding: try JSONEncoder().encode(rows), as: UTF8.self))
        return 0
    }

    /// The allocations and locks of 10,000 calls, and the resident pages added by a million calls.
    private static func costs(_ body: () throws -> Bool) throws -> (allocations: Int, locks: Int, pages: Int) {
        func counts() -> (allocations: Int, locks: Int) {
            (counted("preloaded_allocations"), counted("preloaded_locks"))
        }
        guard counts().allocations >= 0 else { throw Failure("the counting library was not preloaded") }
        // The first calls allocate what is needed only once, so they come before anything is counted.
        _ = try residentPages()
        for _ in 0..<10_000 where try !body() { throw Failure("a get failed") }
        let before = counts()
        for _ in 0..<10_000 where try !body() { throw Failure("a get failed") }
        let after = counts()
        let pages = try residentPages()
        for _ in 0..<1_000_000 where try !body() { throw Failure("a get failed") }
        return (after.allocations - before.allocations, after.locks - before.locks, try residentPages() - pages)
    }

    private static func residentPages() throws -> Int {
        let fields = try Quota.lines(of: "/proc/self/statm")[0].split(separator: " ")
        return Int(fields[1]) ?? 0
    }

    private static func callsRow(_ what: String, limit: Int, _ body: @escaping () throws -> Bool) -> Row {
        var body = body
        var counts = [Int](repeating: 0, count: Int(SYSTEM_CALLS))
        let outcome = withUnsafeMutablePointer(to: &body) { body in
            count_system_calls(
                { context in
                    guard let body = context?.assumingMemoryBound(to: (() throws -> Bool).self) else { return 1 }
                    return (try? body.pointee()) == true ? 0 : 1
                }, body, &counts)
        }
        guard outcome == 0 else {
            return .notMeasured(what, limit: "\(limit)", because: "this process can't be traced")
        }
        let (all, ofKeyrings) = (counts.reduce(0, +), counts[Int(KEYCTL)])
        return Row(
            what, limit: "\(limit), all keyctl", measured: "\(all), \(ofKeyrings) of them keyctl",
            isReached: all == limit && ofKeyrings == limit)
    }
}
