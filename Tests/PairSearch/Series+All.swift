extension ItemSeries {
    /// All series to try, in a fixed order.
    static let all: [ItemSeries] = plain + killed + outlasting + acrossExpiry + doubly

    /// A fetch from a source against a change and another fetch, in either order.
    static let sources: [ItemSeries] = [Stop.plain, .kill].flatMap { stop in
        let states: [ItemState] = [.absent, .live, .expired, .updated, .noRing]
        let others: [Operation] = [.set, .delete, .clear, .fetch]
        return product([.source], others + [.source], states, stop) + product(others, [.source], states, stop)
    }

    /// Three operations, of which each is stopped in turn; a sample of all interleavings.
    static let triples: [ItemSeries] = [
        [Operation.refresh, .set, .delete], [.refresh, .clear, .refuse], [.refresh, .update, .clear],
    ].flatMap { three in
        three.flatMap { first in
            three.filter { $0 != first }.flatMap { second in
                [ItemState.absent, .live, .due].map { state in
                    ItemSeries(
                        first: first, second: second, third: three.first { $0 != first && $0 != second },
                        state: state, stop: .double, isApart: false)
                }
            }
        }
    }

    private static func product(
        _ firsts: [Operation], _ seconds: [Operation], _ states: [ItemState], _ stop: Stop, apart: Bool = false
    ) -> [ItemSeries] {
        firsts.flatMap { first in
            // While the first process holds the lease, the second one can't take it, and so can't release it.
            seconds.filter { $0 != .release || !first.concernsLease }.flatMap { second in
                states.map { state in
                    ItemSeries(first: first, second: second, third: nil, state: state, stop: stop, isApart: apart)
                }
            }
        }
    }

    private static let plain =
        product(Operation.library, Operation.library, ItemState.allCases, .plain)
        + product(
            Operation.library, Operation.library, [.noRing, .deadRing, .knownDeadRing, .sharedDeadRing, .deadLeases],
            .plain,
            apart: true)

    private static let killed = product(
        Operation.library, Operation.library, [.absent, .live, .expired, .updated, .due, .deadRing], .kill)

    /// A sample, because each takes longer than the longest lease that the library takes by itself.
    private static let outlasting =
        product(
            [.set, .add, .delete, .update, .lease, .release, .fetch], [.set, .add, .update, .lease, .fetch],
            [.absent, .expired, .updated], .outlasting)
        + product([.refresh, .refuse], [.set, .delete, .clear, .refresh, .refuse], [.live, .due], .outlasting)
        // A fetch that loses the item's lease, which is short, but not its own.
        + product([.longFetch], [.list], [.absent, .expired], .outlasting)

    /// An expire gives the item another timeout, so there would be no expiry during the stop.
    private static let acrossExpiry = product(
        Operation.library.filter { $0 != .expire }, Operation.library.filter { $0 != .expire }, [.live, .updated],
        .expiry)

    /// A sample, because the number of interleavings is the product of the numbers of calls.
    private static let doubly =
        product(
            [.set, .add, .delete, .update, .fetch], [.set, .add, .update, .list, .clear], [.absent, .live, .updated],
            .double)
        + product([.refresh, .refuse], [.refresh, .refuse, .delete, .clear, .expire], [.live, .due], .double)
        + product([.setTimeout], [.setTimeout], [.deadRing, .sharedDeadRing, .deadLeases], .double, apart: true)
        + product([.set, .setTimeout], [.add, .set, .update, .list], [.live], .doubleExpiry)
}
