package import Keyutils
package import SessionKeyring

/// Opens another way to the items of a run than its keyring, such as a Secret Service that serves this keyring.
///
/// It is called once, with the run's keyring and the namespace of its items. It must be able to do what the workload
/// does. The run itself looks at the keyring.
package typealias BackendOpener = (KeySerial, _ namespace: String) throws -> BackendMaker

/// Makes the backend of one worker's store, in the worker's thread.
package typealias BackendMaker = @Sendable () throws -> any SecretBackend
