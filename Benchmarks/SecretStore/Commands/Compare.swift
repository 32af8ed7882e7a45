import Baseline
import Foundation
import Keyutils
import SessionKeyring

/// The cost of a secret with `skr`, and with the tools that people use today (Compare/compare.py).
enum Compare {
    static let getWord = "get"

    static func run(_ options: [String]) throws -> CInt {
        setenv("PYTHONPATH", Program.directory, 1)
        setenv("PYTHONDONTWRITEBYTECODE", "1", 1)
        Program.become(["/usr/bin/python3", Program.directory + "Compare/compare.py", Program.path] + options)
    }

    /// Prints the median time of one get in a running program, in nanoseconds.
    ///
    /// Each sample is the mean of a batch. The secret must be a row of x.
    ///
    /// - Parameter options: `SAMPLES BATCH borrowed|owned|libkeyutils|libsecret SERVICE ACCOUNT`, or `... file PATH`.
    static func measureGet(_ options: [String]) throws -> CInt {
        guard options.count >= 4, let samples = Int(options[0]), let batch = Int(options[1]) else {
            throw Failure("usage: get SAMPLES BATCH KIND WORD...")
        }
        let get = try getter(options[2], Array(options.dropFirst(3)))
        var times: [Double] = []
        for number in -samples / 10..<samples {
            let time = try ContinuousClock().measure {
                for _ in 0..<batch where try get() != Race.secret.utf8.count { throw Failure("a get failed") }
            }
            if number >= 0 { times.append(time.nanoseconds / Double(batch)) }
        }
        Console.line(times.quantile(0.5).fixed(0))
        return 0
    }

    /// A get that returns the number of bytes; their content has been checked before.
    private static func getter(_ kind: String, _ words: [String]) throws -> () throws -> Int? {
        let last = words.last ?? ""
        switch kind {
        case "borrowed", "owned", "libkeyutils":
            let (store, item) = (try SecretStore(), ItemIdentity.password(service: words[0], account: last))
            try check(store.get(item, as: String.self))
            if kind == "owned" { return { try store.withBytes(of: item) { SecretBytes(copying: $0).count } } }
            if kind == "borrowed" { return { try store.withBytes(of: item) { $0.byteCount } } }
            let names = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: 1)
            names.initialize(to: UnsafePointer(strdup(item.keyDescription)))
            var place = baseline()
            place.ring = try Keyring.resolve(.sessionKeyring).search(.keyring, "skr:default").serial.rawValue
            place.names = UnsafePointer(names)
            return { baseline_get(&place, 0) }
        case "file":
            try check(String(contentsOfFile: last, encoding: .utf8))
            return { baseline_file(last) }
        case "libsecret":
            var text = [CChar](repeating: 0, count: Race.secret.utf8.count + 1)
            _ = baseline_libsecret(words[0], last, &text, text.count)
            try check(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            return { baseline_libsecret(words[0], last, &text, text.count) }
        default: throw Failure("no such kind: \(kind)")
        }
    }

    private static func check(_ text: String?) throws {
        guard text == Race.secret else { throw Failure("the value that was read is not the secret") }
    }
}
