import Foundation
import Keyutils
import SecretText
import TestSupport
import Testing

import skr

/// Tests of damaged configurations: one that was valid before is valid afterwards.
@Suite("Fuzzing: configurations of clients", .tags(.long))
struct SetupFuzzTests {
    /// Parses an object; `nil` if the text is not an object, or if `JSONSerialization` would misread it.
    ///
    /// `JSONSerialization` drops a byte order mark at the beginning of a string.
    private static func object(_ text: [UInt8]) -> [String: Any]? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard text[(text.starts(with: mark) ? mark.count : 0)...].firstRange(of: mark) == nil else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    }

    @Test("install adds a member to docker's object, and uninstall restores the same bytes")
    func docker() {
        Fuzzer(
            "docker's configuration",
            samples: [
                "{}", "{\n}\n", #"{"auths":{}}"#, "{\r\n\t\"auths\": {\r\n\t}\r\n}", "{ \"a\" : [1, \"\\u00e9\"] }\n",
                "\r{\r\"a\":null\r}", #"{"credsStore":""}"#, #"{"credHelpers":{"a":"b"},"psFormat":"x"}"#, "",
                "{\n\t\"auths\": {\n\t\t\"r\": {\n\t\t\t\"auth\": \"eDp5\"\n\t\t}\n\t},\n\t\"x\": 1\n}",
            ],
            tokens: [
                "\"credsStore\": \"skr\"", "\"credsStore\"", "\"CREDSSTORE\":\"pass\"", "\"a\":1,", ",", "[", "]", "{",
                "}", "null",
            ]
        ).run { input, _ in
            let before = Self.object(input)
            guard let added = try? DockerSetup.adding(to: input.span.bytes) else {
                // Unlike `JSONSerialization`, this refuses a comma before a brace.
                let names = (try? JSONMembers(of: input.span.bytes))?.members.map { $0.name.uppercased().lowercased() }
                guard let names else { return nil }
                return names.contains("credsstore") || names.contains("credhelpers") || input.first == 0xEF
                    ? nil : "an object without a helper is refused"
            }
            let after = added.array
            let removed = try DockerSetup.removing(from: after.span.bytes).array
            guard var before else { return nil }
            guard let object = Self.object(after) else { return "the edited file is not valid JSON" }
            if let empty = before.keys.first(where: { $0.uppercased().lowercased() == "credsstore" }) {
                before[empty] = nil
            } else if removed != input {
                return "removal does not restore the bytes"
            }
            guard let rest = Self.object(removed), NSDictionary(dictionary: before) == NSDictionary(dictionary: rest)
            else {
                return "removal changes another member"
            }
            before["credsStore"] = "skr"
            return NSDictionary(dictionary: before) == NSDictionary(dictionary: object)
                ? nil : "another member changed"
        }
    }
}
