#if !DEBUG
    import CommandConventions
    import Glibc
    import SessionKeyring

    /// Answers a plain `skr cached` that finds what it asks for before the constructors of the Swift runtime have run, as
    /// ``EarlyGet`` answers a get, and under the same rules.
    ///
    /// What is due for a refresh, and a failure that is remembered, is left to `main`.
    enum EarlyCached {
        static func run(_ arguments: CommandLineWords) {
            guard let request = PlainCached.parse(arguments), !request.isForced, request.place.scope == .session else {
                return
            }
            let namespace = request.place.namespace
            if request.refreshBefore != nil {
                guard FirstLook.read(request.item.freshnessMark, namespace: namespace, { _ in }) else { return }
            }
            _ = FirstLook.read(request.item, namespace: namespace) { bytes in
                do throws(CommandError) {
                    try Console.write(bytes)
                    _exit(ExitCode.done.rawValue)
                } catch {
                    // Part of it may have been written, so this is the end.
                    Console.report(error)
                    _exit(error.exitCode.rawValue)
                }
            }
        }
    }
#endif
