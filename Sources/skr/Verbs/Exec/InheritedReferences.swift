import CProcess
import CommandSupport
import Glibc

/// The references in our own environment; each is the whole value of a variable.
///
/// They are resolved only on request, because other people can set variables too: the client of a web server, the user
/// of `ssh`, or the author of a change in CI. If every reference were resolved, these people could choose which secret
/// the command gets.
enum InheritedReferences {
    /// Returns the reference in this variable, for `--env NAME`.
    ///
    /// - Throws: ``CommandError`` if the variable is not set or its value is not a reference. The error doesn't
    ///   show the value.
    static func reference(in name: String) throws(CommandError) -> SecretReference {
        guard let value = unsafe getenv(name) else {
            // The error does not show the name, because the user could have written a secret there.
            throw .usage(
                "--env names a variable that is not set",
                hint: "set it to a reference, or write --env VAR=skr://SERVICE")
        }
        do throws(InputProblem) {
            return try SecretReference(parsing: unsafe bytes(of: value)[...])
        } catch {
            guard error != .notReference else {
                throw .usage(
                    "--env \(name): the variable's value is not a reference (skr://...)",
                    hint: "leave out --env \(name) to pass its value on unchanged")
            }
            throw .data("environment variable \(name): \(error.summary)", hint: error.hint)
        }
    }

    /// Adds all variables that hold a reference and are not in `variables` yet, for `--inherited`.
    ///
    /// - Throws: ``CommandError`` if a value begins as a reference but is malformed. The error does not show the value.
    static func add(to variables: inout [EnvironmentVariable]) throws(CommandError) {
        var next = unsafe current_environment()
        while let entry = unsafe next?.pointee {
            unsafe next = unsafe next?.advanced(by: 1)
            guard let sign = unsafe strchr(entry, CInt(UInt8(ascii: "="))),
                unsafe strncmp(sign + 1, SecretReference.scheme, SecretReference.scheme.utf8.count) == 0
            else { continue }
            let name = unsafe Array(UnsafeRawBufferPointer(start: entry, count: sign - entry))
            guard EnvironmentBlock.isName(name) else { continue }
            let text = String(decoding: name, as: UTF8.self)
            guard !variables.contains(where: { $0.name == text }) else { continue }
            do throws(InputProblem) {
                let reference = try SecretReference(parsing: unsafe bytes(of: sign + 1)[...])
                variables.append(EnvironmentVariable(name: text, value: .secret(reference)))
            } catch {
                throw .data(
                    "environment variable \(text): \(error.summary)",
                    hint: "\(error.hint); to resolve only some variables, use --env NAME instead of --inherited")
            }
        }
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
