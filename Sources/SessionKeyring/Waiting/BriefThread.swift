import Glibc

/// A thread that runs one closure and ends.
///
/// It belongs neither to the tasks' thread pool nor to Dispatch's queues, whose threads may all be busy.
enum BriefThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts the thread; false if the process can't have another one.
    ///
    /// Dispatch would block its caller until the process can have one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let body = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let error = unsafe pthread_create(
            &thread, nil,
            { body in
                if let body = unsafe body { unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        guard error == 0 else {
            unsafe body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Runs the closure in its own thread, or in a task if the process can't have another thread.
    static func run(_ body: @escaping @Sendable () -> Void) {
        if !start(body) { Task.detached(operation: body) }
    }
}
