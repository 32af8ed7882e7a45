/// A role in the classic test of keychain wrappers.
///
/// Readers, deleters, clearers and writers use the same item, while the main thread sets and gets it.
enum ClassicRole: Sendable {
    case reader, deleter, clearer, writer, main

    static let workers: [ClassicRole] =
        Array(repeating: .reader, count: 3) + Array(repeating: .deleter, count: 2)
        + Array(repeating: .clearer, count: 2) + Array(repeating: .writer, count: 2) + [.main]

    /// How often all writers together write.
    ///
    /// The writes of the main thread come on top.
    static let writes = 1_000

    /// How many rounds the role makes.
    ///
    /// A round of the main thread is two calls.
    var rounds: Int {
        switch self {
        case .reader, .deleter, .clearer: 400
        case .writer: 500
        case .main: 1_000
        }
    }

    /// The number of rounds after which the original test changes to another queue; `nil` for never.
    ///
    /// Changing the queue shuffles the order of events.
    var roundsBetweenHops: Int? { self == .main ? nil : 100 }

    var calls: Int { self == .main ? 2 * rounds : rounds }
}
