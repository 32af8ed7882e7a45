import SessionKeyring

/// How long the first `SecretStore()` of a process takes, in a session as a login has it.
enum FirstStore {
    static let word = "first-store"

    static func row() throws -> Row {
        let times = try (0..<100).map { _ in
            let output = try Program.output(of: [Program.path, word])
            guard let time = Double(String(decoding: output.dropLast(), as: UTF8.self)) else {
                throw Failure("\(word) printed an unexpected line")
            }
            return time
        }
        return Row("the first SecretStore() of a process", limit: "", measured: "\(Spread(times)) us", .information)
    }

    /// Prints the time of one call in microseconds.
    static func measure() throws -> CInt {
        var store: SecretStore?
        let time = try ContinuousClock().measure { store = try SecretStore() }
        Console.line("\((time.nanoseconds / 1_000).fixed(1))")
        return store == nil ? 1 : 0
    }
}
