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

    /// The outcomes of a first process that was killed after some of its changes, and a second one after it.
    func outcomesOfKilled() throws -> [HelperOutcome] {
        var found: [HelperOutcome] = []
        for changes in 0... {
            let items = MemoryItems(initial)
            items.changesLeft = changes
            var answered = 0
            for request in requests[0] {
                guard (try? Self.answer(request, on: items)) != nil else { break }
                answered += 1
            }
            items.changesLeft = nil
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
