import Testing

@testable import SecretService

@Suite("Calls that take several turns")
struct CallProgressTests {
    @Test("a long list makes progress in each turn, and finds everything once, in order")
    func list() throws {
        var progress = CallProgress()
        progress.end = .now - .seconds(1)
        var (turns, asked) = (0, 0)
        func attempt() throws -> [LongList.Found] {
            turns += 1
            return try progress.list {
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
        let call = BusWriter.call(
            "Unlock", at: ServiceClient.service, to: SecretService.name, signature: "ao", serial: .max
        ) { writer in
            writer.array(alignedTo: 4) { array in for path in paths { array.string(path) } }
        }
        // The service reads the call in pieces. Only the last byte lets it begin.
        try greedy.send(call.dropLast())
        for _ in 0..<100 { service.serve() }
        let start = ContinuousClock.now
        try greedy.send(call.suffix(1))
        var (answered, answers) = (0, [BusAnswer]())
        while answers.isEmpty {
            _ = try other.call("Ping")
            answered += 1
            answers = try greedy.answers()
        }
        // Each turn takes a good part of the list, five milliseconds.
        #expect(answered > 1)
        #expect(.milliseconds(2 * answered) < .now - start)
        var body = answers[0].body
        #expect(try body.strings() == [path])
    }
}
