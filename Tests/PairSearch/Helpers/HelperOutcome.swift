import CredentialHelpers
import SessionKeyring

/// The answers to two processes, and the items that were stored after both.
struct HelperOutcome: Equatable {
    /// Of the first process and the second.
    var answers: [[String]]
    var items: [ItemIdentity: String]

    /// A few lines for a finding.
    var lines: [String] {
        let said = zip(["first", "second"], answers).map { name, answers in
            "\(name) process: " + answers.map { "<\($0)>" }.joined(separator: ", ")
        }
        return said + items.map { "\($0.keyDescription) = \($1)" }.sorted()
    }

    /// The same with a process that cargo was not told of an end of its token.
    ///
    /// No item of these plays has a timeout. If a token changes while it is read, cargo is told that it ends now.
    func withoutEnd(process: Int) -> HelperOutcome {
        var outcome = self
        outcome.answers[process] = answers[process].map {
            $0.replacing(/"expires","expiration":[0-9]+/, with: "\"session\"")
        }
        return outcome
    }
}

/// Each outcome that two processes may have: that of some order in which their requests are answered one after the other.
///
/// The orders are run through the same helpers, on items in memory.
struct HelperModel {
    let initial: [ItemIdentity: String]
    /// Of the first process and the second.
    let requests: [[HelperRequest]]
    let reports: [HelperReport]

    /// The outcomes of two processes that lived to their ends.
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

    /// The outcomes of a process that reads between two changes of the other process's request.
    ///
    /// An erase of several items is not one step for readers: they may see the next item before it is gone too. They never see
    /// nothing in between, so that answer is left out.
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

    /// The outcomes of two processes that each erase one of two items of the same name: both have erased something.
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

    /// The items after so many changes, and how many of the requests are answered by then.
    private func items(after changes: Int, of requests: [HelperRequest]) -> (items: MemoryItems, answered: Int) {
        let items = MemoryItems(initial)
        items.changesLeft = changes
        let answered = requests.prefix { (try? Self.answer($0, on: items)) != nil }.count
        items.changesLeft = nil
        return (items, answered)
    }

    /// The outcomes of a first process that was killed after some of its changes, and a second one after it.
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

    /// The requests' processes in each order that is possible from here on, given how many requests each has had answered.
    private func orders(_ done: [Int]) -> [[Int]] {
        let left = [0, 1].filter { done[$0] < requests[$0].count }
        if left.isEmpty { return [[]] }
        return left.flatMap { process -> [[Int]] in
            let other = 1 - process
            // The other's next request was answered before this one was made.
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
