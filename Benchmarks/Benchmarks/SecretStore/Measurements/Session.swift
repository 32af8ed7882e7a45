import Foundation
import Keyutils

/// Where measurements happen: a session without the keyrings of others, each of which makes every read slower.
enum Session {
    /// Joins a new session before there are other threads, which then share it.
    static func joinOwn() {
        do throws(KeyringError) {
            try SessionMembership.joinAnonymous()
        } catch {
            Console.fail("no session of its own: \(error)")
        }
    }
}
