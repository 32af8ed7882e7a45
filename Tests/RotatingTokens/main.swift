import Foundation
import SessionKeyring

// A client of a server that rotates its refresh tokens: rotating-tokens KEYRING DIRECTORY TASK...
//
// Each process prints the access token that it would send, or the reason why it can't. The tasks are
//
// - `ask`: ask for the token.
// - `cancel`: cancel the only caller while it fetches the token, and end once the gate `end` is open.
// - `tasks COUNT MILLISECONDS`: ask in several tasks, with this limit, and end once the gate `end` is open.
//
// A test controls the order of events with the gates in the directory.

// No test needs a client for longer than this.
alarm(120)
let words = CommandLine.arguments
let client = try Client(keyring: words[1], directory: URL(fileURLWithPath: words[2]))
switch (words[3], words.dropFirst(4).compactMap { Int($0) }) {
case ("ask", []): await client.ask()
case ("cancel", []): await client.cancelTheOnlyCaller()
case ("tasks", let numbers) where numbers.count == 2:
    await client.ask(inTasks: numbers[0], limit: .milliseconds(numbers[1]))
default: exit(64)
}
