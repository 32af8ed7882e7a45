import CredentialHelpers
import SessionKeyring

/// The answers to two processes, and the items that were stored after both.
struct HelperOutcome: Equatable {
    /// The answers to the first and to the second process.
    var answers: [[String]]
    var items: [ItemIdentity: String]

    /// The outcome in a few lines, for a finding.
    var lines: [String] {
        let said = zip(["first", "second"], answers).map { name, answers in
            "\(name) process: " + answers.map { "<\($0)>" }.joined(separator: ", ")
        }
        return said + items.map { "\($0.keyDescription) = \($1)" }.sorted()
    }

    /// Returns the same outcome, but without an end of cargo's token in the answers to a process.
    ///
    /// No item of these plays has a timeout. If a token changes while it is read, the helper tells cargo that the
    /// token ends now.
    func withoutEnd(process: Int) -> HelperOutcome {
        var outcome = self
        outcome.answers[process] = answers[process].map {
            $0.replacing(/"expires","expiration":[0-9]+/, with: "\"session\"")
        }
        return outcome
    }
}

/// All outcomes that two processes can have: one for each order in which a helper can answer their requests.
///
/// The model runs each order through the same helpers, on items in memory.
struct HelperModel {
    let initial: [ItemIdentity: String]
    /// The requests of the first and of the second process.
    let requests: [[HelperRequest]]
    let reports: [HelperReport]

    /// Returns the outcomes of two processes that were not killed.
    func outcomes() throws -> [HelperOutcome] {
        try orders([0, 0]).map { order in
            let items = MemoryItems(initial)
            var answers: [[String]] = [[], []]
            for process in order {
                answers[process].append(try Self.answer(requests[process][answers[process].count], on: items))
            }
            return HelperOutcome(answers: answers, items: items.contents)
        }
    }

    /// Returns the outcomes of a process that reads between two changes of one of the other's requests.
    ///
    /// For a reader, an erase of several items is not one step: it may see the next item before that is erased, too. A
    /// reader never finds nothing in between, so that answer is left out.
    func outcomes(ofReader reader: Int) throws -> [HelperOutcome] {
        guard requests[reader].count == 1, let request = requests[reader].first else { return [] }
        let other = 1 - reader
        let all = MemoryItems(initial)
        let answers = try requests[other].map { try Self.answer($0, on: all) }
        let nothing = try Self.answer(request, on: MemoryItems([:]))
        var found: [HelperOutcome] = []
        for changes in 1... {
            let (items, answered) = items(after: changes, of: requests[other])
            guard answered < requests[other].count else { break }
            let answer = try Self.answer(request, on: items)
            guard isConcurrent(answered, of: other, with: reader), answer != nothing else { continue }
            let said = reader == 0 ? [[answer], answers] : [answers, [answer]]
            found.append(HelperOutcome(answers: said, items: all.contents))
        }
        return found
    }

    /// Returns the outcomes of two processes that each erase one of two items of the same name.
    ///
    /// Both of them report that they have erased something.
    func outcomesOfErasers() throws -> [HelperOutcome] {
        guard requests[0].count == 1, requests[1].count == 1, isConcurrent(0, of: 0, with: 1) else { return [] }
        return try [0, 1].map { process in
            let (items, _) = items(after: 1, of: requests[process])
            let others = try Self.answer(requests[1 - process][0], on: items)
            let answer = try Self.answer(requests[process][0], on: MemoryItems(initial))
            return HelperOutcome(
                answers: process == 0 ? [[answer], [others]] : [[others], [answer]], items: items.contents)
        }
    }

    private func isConcurrent(_ index: Int, of other: Int, with reader: Int) -> Bool {
        !reports[reader].isAnswered(0, before: index, of: reports[other])
            && !reports[other].isAnswered(index, before: 0, of: reports[reader])
    }

    /// Returns the items after this many changes, and how many of the requests have been answered by then.
    private func items(after changes: Int, of requests: [HelperRequest]) -> (items: MemoryItems, answered: Int) {
        let items = MemoryItems(initial)
        items.changesLeft = changes
        let answered = requests.prefix { (try? Self.answer($0, on: items)) != nil }.count
        items.changesLeft = nil
        return (items, answered)
    }

    /// Returns the outcomes of a first process that was killed after some of its changes, and a second one after it.
    func outcomesOfKilled() throws -> [HelperOutcome] {
        var found: [HelperOutcome] = []
        for changes in 0... {
            let (items, answered) = items(after: changes, of: requests[0])
            if answered >= reports[0].count {
                let second = try requests[1].map { try Self.answer($0, on: items) }
                found.append(HelperOutcome(answers: [reports[0].answers, second], items: items.contents))
            }
            if answered == requests[0].count { break }
        }
        return found
    }

    /// Returns each possible order of the remaining requests, as a list of processes.
    ///
    /// - Parameter done: how many requests of each process have been answered.
    private func orders(_ done: [Int]) -> [[Int]] {
        let left = [0, 1].filter { done[$0] < requests[$0].count }
        if left.isEmpty { return [[]] }
        return left.flatMap { process -> [[Int]] in
            let other = 1 - process
            // The next request of the other process was answered before this one was made.
            if left.contains(other), reports[other].isAnswered(done[other], before: done[process], of: reports[process])
            {
                return []
            }
            var next = done
            next[process] += 1
            return orders(next).map { [process] + $0 }
        }
    }

    static func answer(_ request: HelperRequest, on items: any ItemSource) throws(SecretStoreError) -> String {
        try request(CredentialHelper(items: items))
    }
}
