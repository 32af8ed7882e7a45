import Keyutils
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

@Suite("The Secret Service and names that are equal as characters, or but for their case")
struct NamePairTests {
    private let service: TestService
    private let client: ServiceClient
    private let pairs: [NamePair]

    init() throws {
        service = try TestService()
        client = try service.client()
        print("pairs of names: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 4)
        pairs = (0..<20).map { _ in NamePair(using: &random) }
    }

    private func check(_ problem: String?) {
        if let problem { Issue.record("\(problem)") }
    }

    @Test("attributes of one item never find or delete the other")
    func attributes() throws {
        let ways: [(String) -> [String: String]] = [
            { [$0: "value"] }, { ["name": $0] }, { ["service": $0, "username": "u"] },
            { ["service": "s", "username": $0] }, { ["application": $0] }, { ["xdg:schema": "x", $0: "value"] },
            { ["server": $0, "user": "u", "protocol": "https"] }, { ["server": "h", "user": $0, "protocol": "https"] },
        ]
        for pair in pairs {
            for attributes in ways {
                check(
                    try pair.mixUp(
                        set: { try client.create(attributes($0), $1) },
                        get: { name in
                            let found = try client.search(attributes(name))
                            #expect(found.count <= 1, "\(pair)")
                            return try found.first.flatMap { try client.text(at: $0) }
                        },
                        delete: { for path in try client.search(attributes($0)) { _ = try client.delete(path) } }))
            }
        }
    }

    @Test("are different collections and aliases, and come back unchanged as labels")
    func labels() throws {
        func label(_ collection: String) throws -> String {
            var answer = try client.property("Label", of: "Collection", at: collection)
            return try answer.string()
        }
        func collection(_ name: String) throws -> String? {
            try client.collections().first { try label($0) == name }
        }
        for pair in pairs {
            check(
                try pair.mixUp(
                    set: { try client.create(["a": "b"], $1, label: $0, in: client.createCollection($0)) },
                    get: { name in
                        guard let collection = try collection(name) else { return nil }
                        let path = try #require(try client.search(["a": "b"], in: collection).first)
                        #expect(try client.label(of: path) == name, "\(pair)")
                        return try client.text(at: path)
                    }, delete: { if let path = try collection($0) { _ = try client.call("Delete", at: path) } }))
            check(
                try pair.mixUp(
                    set: { _ = try client.createCollection($1, alias: $0) },
                    get: { name in
                        var answer = try client.call("ReadAlias", signature: "s") { $0.string(name) }
                        let path = try answer.string()
                        return path == "/" ? nil : try label(path)
                    },
                    delete: { name in
                        _ = try client.call("SetAlias", signature: "so") { writer in
                            writer.string(name)
                            writer.string("/")
                        }
                    }))
        }
    }
}
