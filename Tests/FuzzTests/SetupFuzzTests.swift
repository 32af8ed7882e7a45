import Foundation
import Keyutils
import TestSupport
import Testing

import skr

/// Tests of damaged configurations: one that was valid before is valid afterwards.
@Suite("Fuzzing: configurations of clients", .tags(.long))
struct SetupFuzzTests {
    private static func bytes(_ text: borrowing SecretBytes) -> [UInt8] {
        text.withBytes { $0.withUnsafeBytes { Array($0) } }
    }

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
            guard let added = try? DockerSetup.adding(to: input.span.bytes) else { return nil }
            let after = Self.bytes(added)
            guard var before = Self.object(input) else { return nil }
            guard let object = Self.object(after) else { return "the edited file is not valid JSON" }
            before["credsStore"] = "skr"
            guard NSDictionary(dictionary: before) == NSDictionary(dictionary: object) else {
                return "another member changed"
            }
            return Self.bytes(try DockerSetup.removing(from: after.span.bytes)) == input
                ? nil : "removal does not restore the bytes"
        }
    }
}
