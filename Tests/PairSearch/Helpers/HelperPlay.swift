import Keyutils
import SessionKeyring
import StressSuite

/// Two operations of credential helpers, and the items that they use.
struct HelperPlay: Play {
    private let series: HelperSeries
    private let stores: [SecretStore]
    private let observer: SecretStore
    private let initial: [ItemIdentity: String]
    private let requests: [[HelperRequest]]
    private let reports = [Shared(HelperReport()), Shared(HelperReport())]

    /// Longer than any lease that the library takes by itself.
    let outlasting: UInt32 = 2_300_000

    init(_ series: HelperSeries) throws {
        self.series = series
        let scope = SecretScope.keyring(try SessionMembership.joinAnonymous().addKeyring("pairs").serial)
        func makeStore() throws -> SecretStore { try SecretStore(scope, namespace: SceneItem.namespace) }
        observer = try makeStore()
        stores = [try makeStore(), try makeStore()]
        requests = [series.first.requests(as: .first), series.second.requests(as: .second)]
        try series.state.make(in: observer)
        initial = try Self.contents(of: observer)
    }

    private static func contents(of store: SecretStore) throws -> [ItemIdentity: String] {
        var items: [ItemIdentity: String] = [:]
        for item in try store.identities() { items[item] = try store.get(item, as: String.self) }
        return items
    }

    func run(_ index: Int, begin: () -> Void) {
        begin()
        let report = reports[index]
        do throws(SecretStoreError) {
            for request in requests[index] {
                report.value.begin(at: MonotonicTime.now)
                let answer = try HelperModel.answer(request, on: stores[index])
                report.value.end(answer, at: MonotonicTime.now)
            }
        } catch {
            report.value.error.text = "\(error)"
        }
    }

    // MARK: - Checks

    func problems(of meeting: Meeting) throws -> [String] {
        let (first, second) = (reports[0].value, reports[1].value)
        let errors = zip(["first", "second"], [first, second]).compactMap { name, report in
            report.error.text.isEmpty ? nil : "\(name) process failed: \(report.error.text)"
        }
        var problems = errors
        if errors.isEmpty { problems += try outcomeProblems(isKilled: meeting.killedAt != nil) }
        if meeting.killedAt != nil {
            problems += try emptyReads()
            // Waiting for the lease's deadline would take two seconds. The limit leaves a busy machine some time.
            if second.longest > 1_500_000_000 {
                problems.append("the second operation waited \(second.longest / 1_000_000) ms for a dead process")
            }
        }
        return problems + (try heals())
    }

    /// Checks that the stored items and all answers fit one order of the requests.
    private func outcomeProblems(isKilled: Bool) throws -> [String] {
        var outcome = HelperOutcome(
            answers: reports.map(\.value.answers), items: try Self.contents(of: observer))
        if !isKilled, !series.second.isReader { outcome = outcome.withoutEnd(process: 0) }
        if !isKilled, !series.first.isReader { outcome = outcome.withoutEnd(process: 1) }
        let model = HelperModel(initial: initial, requests: requests, reports: reports.map(\.value))
        var possible = isKilled ? try model.outcomesOfKilled() : try model.outcomes()
        if !isKilled, series.first.isReader { possible += try model.outcomes(ofReader: 0) }
        if !isKilled, series.second.isReader { possible += try model.outcomes(ofReader: 1) }
        if !isKilled, series.first.isEraser, series.second.isEraser { possible += try model.outcomesOfErasers() }
        if possible.contains(outcome) { return [] }
        let lines = possible.enumerated().flatMap { index, outcome in
            ["possible, \(index + 1) of \(possible.count):"] + outcome.lines.map { "    \($0)" }
        }
        return ["no order of the requests explains this result:"] + outcome.lines.map { "    \($0)" } + lines
    }

    /// Checks that a reader finds something after a store was killed.
    ///
    /// A killed store may have made only some of its changes, but it never deletes before it has stored.
    private func emptyReads() throws -> [String] {
        guard series.second.isReader, !series.first.isEraser, let answer = reports[1].value.answers.first else {
            return []
        }
        let nothing = try HelperModel.answer(requests[1][0], on: MemoryItems([:]))
        let before = try HelperModel.answer(requests[1][0], on: MemoryItems(initial))
        return before != nothing && answer == nothing
            ? ["the reader found nothing, although something was always stored"] : []
    }

    /// Checks that the next requests have the same effect on the store as on the same items in memory.
    private func heals() throws -> [String] {
        let model = MemoryItems(try Self.contents(of: observer))
        let operations = [HelperOperation.gitStore, .dockerStoreSame, .gitGet, .dockerGet]
        for request in operations.flatMap({ $0.requests(as: .scene, storing: "next") }) {
            let answer = try HelperModel.answer(request, on: observer)
            let expected = try HelperModel.answer(request, on: model)
            if answer != expected { return ["one of the next requests gets <\(answer)>, but should get <\(expected)>"] }
        }
        let items = try Self.contents(of: observer)
        return items == model.contents ? [] : ["the next stores leave \(items.keys.map(\.keyDescription).sorted())"]
    }
}
