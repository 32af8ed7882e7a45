import Glibc

/// The command line as the kernel handed it over.
///
/// `CommandLine` gets it from `/proc/self/cmdline`, and so has no words where `/proc` is not mounted. The C library hands
/// it to what it calls at the start.
enum StartWords {
    typealias Pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// Written once, before `main` runs and any thread is started.
    nonisolated(unsafe) fileprivate static var saved: (count: CInt, first: Pointers)?

    static func all() -> CommandLineWords {
        guard let saved = unsafe saved else { return .all() }
        return unsafe CommandLineWords(count: Int(saved.count) - 1, first: saved.first + 1)
    }
}

@section(".init_array") @used
let saveStartWords: @convention(c) (CInt, StartWords.Pointers?, StartWords.Pointers?) -> Void = { count, words, _ in
    if let words = unsafe words { unsafe StartWords.saved = (count, words) }
}
