package import Keyutils
package import SessionKeyring

/// Another way to the items of a run than its keyring, such as a Secret Service that serves this keyring.
///
/// It must be able to do what the workload does. The run itself looks at the keyring.
package struct WorkerBackends {
    /// Makes the backend of one worker's store, in the worker's thread.
    package typealias Maker = @Sendable () throws -> any SecretBackend

    let open: (KeySerial, _ namespace: String) throws -> Maker

    /// - Parameter open: called once, with the run's keyring and the namespace of its items.
    package init(_ open: @escaping (KeySerial, _ namespace: String) throws -> Maker) {
        self.open = open
    }
}
