public import SessionKeyring

/// What every backend must do, as checks that each get a store that is empty and used by nobody else.
///
/// They know no test framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: BackendConformance.checks)
/// func conforms(_ check: BackendConformance.Check) async throws {
///     try await check.run(on: SecretStore(backend: MyBackend()))
/// }
/// ```
public enum BackendConformance {
    /// One thing that a backend must do.
    public struct Check: Sendable, CustomStringConvertible {
        /// What is checked, as a sentence.
        public let description: String
        private let body: @Sendable (SecretStore) async throws -> Void

        // Blocking closures are told from the others, for they may call what tasks may not.
        init(_ description: String, _ body: @escaping @Sendable (SecretStore) throws -> Void) {
            self.description = description
            self.body = { store in try body(store) }
        }

        init(_ description: String, inTask body: @escaping @Sendable (SecretStore) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Runs the check, which keeps its thread for most of the time.
        ///
        /// - Throws: ``Failure`` where the backend does not do it, or what the store threw.
        public func run(on store: SecretStore) async throws {
            try await body(store)
        }
    }

    /// What a backend did not do.
    ///
    /// It never shows a secret.
    public struct Failure: Error, CustomStringConvertible {
        /// What was expected, and where.
        public let description: String
    }

    /// All checks.
    ///
    /// Those about expiry take a second or two each.
    public static let checks: [Check] =
        basics + sizes + names + creation + updates + leases + fetches + noWaiting + changes + expiry + threads

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
