#if !DEBUG
    import CommandConventions
    import Glibc
    import SessionKeyring

    /// Answers a plain `skr get` before the constructors of the Swift runtime have run.
    ///
    /// Those of the runtime, of Dispatch and of the concurrency library cost a cold command as much as the get itself: they
    /// touch some thirty pages, read `/proc/self/maps`, and look for a backtracer. A get of the session scope that finds its
    /// item needs none of it. Everything else (no such item, no keyring, another scope, a field, an unusual word) is left to
    /// `main`, which begins anew.
    ///
    /// Before the constructors nothing may ask the runtime for a conformance: no cast, no unspecialized generics, no error that
    /// is not typed. CI runs the tests of the command on the release build for that. A debug build leaves it out, because a
    /// sanitizer is not set up yet either.
    enum EarlyGet {
        typealias Words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

        static func run(count: CInt, words: Words) {
            let arguments = unsafe CommandLineWords(count: Int(count) - 1, first: words + 1)
            EarlyExec.run(arguments)
            EarlyCached.run(arguments)
            guard case .get(let target, nil)? = PlainCall.parse(arguments), target.place.scope == .session else {
                return
            }
            _ = FirstLook.read(target.exactItem, namespace: target.place.namespace) { bytes in
                do throws(CommandError) {
                    try Console.writeSecret(bytes)
                    _exit(ExitCode.done.rawValue)
                } catch {
                    // Part of it may have been written, so this is the end.
                    Console.report(error)
                    _exit(error.exitCode.rawValue)
                }
            }
        }
    }

    @section(".preinit_array") @used
    let earlyGet: @convention(c) (CInt, EarlyGet.Words?, EarlyGet.Words?) -> Void = { count, words, _ in
        // First, because the runtime reads the environment once, when any of it is first used.
        RuntimeStart.prepare()
        if let words = unsafe words { unsafe EarlyGet.run(count: count, words: words) }
    }
#endif
