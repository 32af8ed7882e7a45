import SessionKeyring

/// Two or three of the library's operations, and the stage on which they meet.
struct ItemPlay: Play {
    private let series: ItemSeries
    private let stage: Stage
    private let reports = (0..<3).map { _ in Shared(CallReport()) }

    var count: Int { series.operations.count }
    private var items: [ItemIdentity] {
        [SceneItem.contested, series.isApart ? SceneItem.bystander : SceneItem.contested, SceneItem.contested]
    }

    init(_ series: ItemSeries) throws {
        self.series = series
        // Unlinking by name does no harm once the kernel has collected the dead ring. So the stage keeps it for
        // that defect.
        stage = try Stage(
            series.state, expiresSoon: series.stop.crossesExpiry, keepsDeadRing: series.first == .ringlessSet,
            isInSession: series.first == .source || series.second == .source)
        // The first process may release its lease immediately.
        reports[0].value.mayRelease = true
    }

    func run(_ index: Int, begin: () -> Void) {
        OperationRun(
            operation: series.operations[index], role: [.first, .second, .third][index],
            item: items[index], store: stage.stores[index], anchor: stage.anchor, report: reports[index],
            valueSize: series.state.valueSize,
            lasting: series.stop == .outlasting && index == 0 ? .milliseconds(40) : .seconds(5)
        ).run(begin: begin)
    }

    /// A lease that the operation itself takes lasts only as long as ``run(_:begin:)`` specifies.
    var outlasting: UInt32 { [.lease, .release].contains(series.first) ? 60_000 : 2_300_000 }
    var isSecondHolding: Bool { reports[1].value.isHolding }

    /// Checks that nobody else gets the lease while the second process holds it, even after a late release.
    func endHolding(isFirstKilled: Bool) -> [String] {
        defer { reports[1].value.mayRelease = true }
        guard isSecondHolding, reports[0].value.outcome != .none || isFirstKilled else { return [] }
        do throws(SecretStoreError) {
            _ = try stage.observer.blockingLease(SceneItem.lease, lasting: .seconds(5), waiting: .zero)
            return ["a third process got the lease while the second one holds it"]
        } catch {
            if error.code == .leaseHeld { return [] }
            return ["can't try to take the second process's lease: \(error)"]
        }
    }

    func problems(of meeting: Meeting) throws -> [String] {
        let first = Call(
            operation: series.first, role: .first, item: items[0], report: reports[0].value, killedAt: meeting.killedAt)
        let second = Call(
            operation: series.second, role: .second, item: items[1], report: reports[1].value, killedAt: nil)
        let third = series.third.map { operation in
            Call(operation: operation, role: .third, item: items[2], report: reports[2].value, killedAt: nil)
        }
        return try Examination(
            series: series, stage: stage, first: first, second: second, third: third, meeting: meeting
        ).problems()
    }
}
