import CProcess
import CommandSupport
import Glibc

/// The variables of our own environment whose value is a reference.
///
/// What somebody elsewhere can fill is passed over, or a request would choose which secret the command gets and may show: a
/// web server puts a request's headers into `HTTP_*` and its parts into CGI's variables, `ssh` sends its user's locale,
/// terminal and command, `git push` its options, a mail its addresses, and CI says what a change is called.
enum InheritedReferences {
    private static var foreignPrefixes: [StaticString] {
        [
            "HTTP_", "REDIRECT_", "SSL_CLIENT_", "LC_", "SSH_", "GIT_PUSH_OPTION_", "CI_COMMIT_", "CI_MERGE_REQUEST_",
            "CHANGE_", "GITHUB_HEAD_", "GITHUB_REF_", "GITHUB_ACTOR",
        ]
    }
    private static var foreignNames: [StaticString] {
        [
            "AUTH_TYPE", "CONTENT_LENGTH", "CONTENT_TYPE", "PATH_INFO", "PATH_TRANSLATED", "QUERY_STRING",
            "REMOTE_ADDR", "REMOTE_HOST", "REMOTE_IDENT", "REMOTE_USER", "REQUEST_METHOD", "REQUEST_URI",
            "SCRIPT_NAME", "SERVER_NAME", "SERVER_PROTOCOL", "DOCUMENT_URI", "LANG", "LANGUAGE", "TERM", "COLORTERM",
            "NO_COLOR", "SENDER", "RECIPIENT", "EXTENSION",
        ]
    }

    /// Adds those that nobody has set otherwise.
    ///
    /// - Throws: ``CommandError`` where a value begins as a reference and is none. It does not show the value.
    static func add(to variables: inout [EnvironmentVariable]) throws(CommandError) {
        var next = unsafe current_environment()
        while let entry = unsafe next?.pointee {
            unsafe next = unsafe next?.advanced(by: 1)
            guard let sign = unsafe strchr(entry, CInt(UInt8(ascii: "="))),
                unsafe strncmp(sign + 1, SecretReference.scheme, SecretReference.scheme.utf8.count) == 0
            else { continue }
            let name = unsafe Array(UnsafeRawBufferPointer(start: entry, count: sign - entry))
            guard EnvironmentVariable.isName(name), !isForeign(name) else { continue }
            let text = String(decoding: name, as: UTF8.self)
            guard !variables.contains(where: { $0.name == text }) else { continue }
            let value = unsafe Array(UnsafeRawBufferPointer(start: sign + 1, count: strlen(sign + 1)))
            do throws(InputProblem) {
                let reference = try SecretReference(parsing: value[...])
                variables.append(EnvironmentVariable(name: text, value: .secret(reference)))
            } catch {
                throw .data(
                    "\(text), in the environment: \(error.summary)",
                    hint: "\(error.hint); --no-inherited leaves it as it is")
            }
        }
    }

    private static func isForeign(_ name: [UInt8]) -> Bool {
        foreignPrefixes.contains { unsafe name.starts(with: bytes(of: $0)) }
            || foreignNames.contains { unsafe name.elementsEqual(bytes(of: $0)) }
    }

    private static func bytes(of text: StaticString) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
