/// The roles in the classic test of keychain wrappers: readers, deleters, clearers and writers of one item, while the
/// main thread sets and gets.
enum ClassicRole: Sendable {
    case reader, deleter, clearer, writer, main

    static let workers: [ClassicRole] =
        Array(repeating: .reader, count: 3) + Array(repeating: .deleter, count: 2)
        + Array(repeating: .clearer, count: 2) + Array(repeating: .writer, count: 2) + [.main]

    /// The writes of the writers; those of the main thread come on top.
    static let writes = 1_000

    /// How many rounds it makes; a round of the main thread is two calls.
    var rounds: Int {
        switch self {
        case .reader, .deleter, .clearer: 400
        case .writer: 500
        case .main: 1_000
        }
    }

    /// After how many rounds the original test changes to another queue, which shuffles the order of events; `nil`
    /// for never.
    var roundsBetweenHops: Int? { self == .main ? nil : 100 }

    var calls: Int { self == .main ? 2 * rounds : rounds }
}
