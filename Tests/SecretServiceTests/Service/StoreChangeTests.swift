import Testing

@testable import SecretService

@Suite("Calls that take several turns")
struct StoreChangeTests {
    @Test("a long list makes progress in each turn, and finds everything once, in order")
    func list() throws {
        var change = StoreChange()
        change.end = .now - .seconds(1)
        var (turns, asked) = (0, 0)
        func attempt() throws -> [LongList.Found] {
            turns += 1
            return try change.list {
                asked += 1
                return (1...3).map { number in
                    { list in
                        list.found.append(.init(path: "/\(number)"))
                        // An element can have further ones, such as a collection its items.
                        if number == 2 { list.left.append { $0.found.append(.init(path: "/2/1")) } }
                    }
                }
            }
        }
        for _ in 0..<3 {
            #expect { try attempt() } throws: { if case .unfinished = $0 as? ServiceFailure { true } else { false } }
        }
        #expect(try attempt().map(\.path) == ["/1", "/2", "/2/1", "/3"])
        #expect(turns == 4 && asked == 1)
    }

    @Test("other clients are answered while a client's list is long")
    func turns() throws {
        let service = try TestService()
        let (greedy, other) = (try service.client(), try service.client())
        let path = try greedy.create(["a": "b"], "s")
        let paths = (0..<1_900).map { "\(ServiceClient.login)/secret_3aa_3a\($0)" } + [path]
        var answered = 0
        try greedy.send(
            BusWriter.call(
                "Unlock", at: ServiceClient.service, to: SecretService.name, signature: "ao", serial: .max
            ) { writer in
                writer.array(alignedTo: 4) { array in for path in paths { array.string(path) } }
            })
        // The long call has begun, and the other client's short ones are answered before its end.
        var answers: [BusAnswer] = []
        while answers.isEmpty {
            _ = try other.call("Ping")
            answered += 1
            answers = try greedy.answers()
        }
        // Each turn takes a good part of the list.
        #expect(answered > 1 && answered < 200)
        var body = answers[0].body
        #expect(try body.strings() == [path])
    }
}
