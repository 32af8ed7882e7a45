import Glibc
import Keyutils
import Profile
import SessionKeyring

/// Makes a call on a store that was used before, and writes the profile of that call alone: `one-call CALL`.
///
/// Without an argument, it prints the names of all calls.
guard CommandLine.arguments.count > 1 else {
    for call in Call.allCases { print(call.rawValue) }
    exit(0)
}
guard let call = Call(rawValue: CommandLine.arguments[1]) else { fatalError("unknown call") }

try joinOwnSession()
let store = try SecretStore()
for _ in 0..<3 {
    try call.prepare(store)
    try await call.make(store)
}
try call.prepare(store)
// Tasks and timers of the earlier calls end in the background.
try await Task.sleep(for: .milliseconds(200))
profile_begin()
try await call.make(store)
profile_end()

/// Joins a new session keyring, which disappears with the process.
func joinOwnSession() throws {
    try SessionMembership.joinAnonymous()
}
