/// Who does what in the classic test of keychain wrappers: readers, deleters, clearers and writers on one item, while the
/// main thread sets and gets.
enum ClassicRole: Sendable {
    case reader, deleter, clearer, writer, main

    static let workers: [ClassicRole] =
        Array(repeating: .reader, count: 3) + Array(repeating: .deleter, count: 2)
        + Array(repeating: .clearer, count: 2) + Array(repeating: .writer, count: 2) + [.main]

    /// The writes of the writers; those of the main thread come on top.
    static let writes = 1_000

    /// How many rounds; one of the main thread's is two calls.
    var rounds: Int {
        switch self {
        case .reader, .deleter, .clearer: 400
        case .writer: 500
        case .main: 1_000
        }
    }

    /// After how many rounds it hops to another queue in the original, which shuffles the order of events; `nil` for never.
    var roundsBetweenHops: Int? { self == .main ? nil : 100 }

    var calls: Int { self == .main ? 2 * rounds : rounds }
}
