import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("Open descriptors", .tags(.kernel))
struct DescriptorTests {
    @Test("no call leaves a descriptor open")
    func none() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let scratch = try ScratchKeyring()
            // The first calls also open what stays open.
            try await Self.callEverything(in: scratch.keyring)
            let before = try Self.descriptors()
            try await Self.callEverything(in: scratch.keyring)
            let after = try Self.descriptors()
            succeed(1, after == before)
            withExtendedLifetime(scratch) {}
            exit(0)
        }
    }

    private static func descriptors() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").sorted()
    }

    private static func callEverything(in anchor: Keyring) async throws {
        let place = try StallPlace(anchor: anchor, number: 1)
        for verb in StallVerb.allCases {
            try verb.prepare(place, for: .fullQuota)
            let outcome = try await verb.call(place)
            succeed(2, outcome == "done")
            try place.store.clear()
        }
        let store = place.store
        try store.set("1", for: place.item, lasting: .seconds(600))
        let isListed = try store.items().count == 1 && store.identities().count == 1
        succeed(3, try isListed && store.get(place.item) == "1")
        try store.clear()
        _ = (try KeyQuota.current(), KeyTable.ifShown(), KeyFacility.isFiltered, KeyFacility.refusals())
        _ = try (UserNamespace.isIdentity(), KeyringCapabilities.query())
    }
}
