// compare-inprocess SAMPLES BATCH borrowed|owned SERVICE ACCOUNT: the median time of one get in a running program, in
// nanoseconds, of samples that are each the mean of a batch of gets. It checks that the secret is a row of x.

import Glibc
import SessionKeyring

let secretSize = 200

func fail(_ reason: String) -> Never {
    _ = Array("error: \(reason)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(70)
}

/// One get, and how many bytes it gave.
func getter(_ form: String, of item: ItemIdentity, in store: SecretStore) -> () throws(SecretStoreError) -> Int? {
    switch form {
    case "borrowed": { () throws(SecretStoreError) in try store.withBytes(of: item) { $0.byteCount } }
    case "owned": { () throws(SecretStoreError) in try store.get(item)?.count }
    default: fail("neither borrowed nor owned: \(form)")
    }
}

func measure(samples: Int, batch: Int, _ get: () throws(SecretStoreError) -> Int?) throws -> Int {
    let clock = ContinuousClock()
    var times: [Double] = []
    for number in -samples / 10..<samples {
        let time = try clock.measure {
            for _ in 0..<batch where try get() != secretSize { fail("a get failed") }
        }
        if number >= 0 { times.append(time / .nanoseconds(1) / Double(batch)) }
    }
    times.sort()
    return Int(times[times.count / 2].rounded())
}

let words = CommandLine.arguments
guard words.count == 6, let samples = Int(words[1]), let batch = Int(words[2]), samples > 0, batch > 0 else {
    fail("usage: compare-inprocess SAMPLES BATCH borrowed|owned SERVICE ACCOUNT")
}
do {
    let store = try SecretStore()
    let item = ItemIdentity.password(service: words[4], account: words[5])
    guard try store.get(item, as: String.self) == String(repeating: "x", count: secretSize) else {
        fail("what was read is not the secret")
    }
    print(try measure(samples: samples, batch: batch, getter(words[3], of: item, in: store)))
} catch {
    fail("\(error)")
}
