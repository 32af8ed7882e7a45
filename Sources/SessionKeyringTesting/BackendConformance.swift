package import SessionKeyring

/// The requirements for every backend, as checks.
///
/// Each check needs an empty store that nobody else uses. The checks do not depend on a test framework. With Swift
/// Testing, run them like this:
///
/// ```swift
/// @Test(arguments: BackendConformance.checks)
/// func conforms(_ check: BackendConformance.Check) async throws {
///     try await check.run(on: SecretStore(backend: MyBackend()))
/// }
/// ```
package enum BackendConformance {
    /// A check of one requirement.
    package struct Check: Sendable, CustomStringConvertible {
        /// The requirement, as a sentence.
        package let description: String
        private let body: @Sendable (SecretStore) async throws -> Void

        // There are two initializers because blocking closures can call functions that tasks must not call.
        init(_ description: String, _ body: @escaping @Sendable (SecretStore) throws -> Void) {
            self.description = description
            self.body = { store in try body(store) }
        }

        init(_ description: String, inTask body: @escaping @Sendable (SecretStore) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Runs the check, which blocks its thread most of the time.
        ///
        /// - Throws: ``Failure`` if the backend does not meet the requirement, or the error that the store threw.
        package func run(on store: SecretStore) async throws {
            try await body(store)
        }
    }

    /// The requirement that a backend did not meet.
    ///
    /// It never shows a secret.
    package struct Failure: Error, CustomStringConvertible {
        /// The failed expectation and its place in the check.
        package let description: String
    }

    /// All checks.
    ///
    /// The checks about expiry take a second or two each.
    package static let checks: [Check] =
        basics + sizes + names + creation + updates + leases + fetches + noWaiting + expiry + threads

    /// The item of checks that need only one.
    static let item = ItemIdentity.password(service: "service", account: "account")

    static func expect(
        _ condition: Bool,
        _ message: @autoclosure () -> String,
        line: UInt = #line,
        file: StaticString = #fileID
    ) throws {
        if !condition { throw Failure(description: "\(message()) (\(file):\(line))") }
    }

    static func expect(
        _ code: SecretStoreError.Code,
        _ message: @autoclosure () -> String,
        from body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as SecretStoreError where error.code == code {
            return
        }
        throw Failure(description: "\(message()): expected \(code)")
    }
}
