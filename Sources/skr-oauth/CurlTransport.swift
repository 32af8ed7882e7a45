import CommandSupport
import Glibc
import OAuth
import SecretText

/// Sends requests with curl, which gets all of them on its standard input, so that no secret is on a command line.
enum CurlTransport {
    /// The largest answer in bytes.
    private static let limit = 1 << 20
    /// curl's exit codes if it has certainly sent no request: no proxy, no host, no connection, no secure one.
    private static let unsent: [Int32] = [5, 6, 7, 35, 60]
    /// The variables that curl gets, besides LC_ALL.
    private static let variables = [
        "PATH", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
    ]

    static func send(_ request: HTTPRequest, _ mayStart: (pid_t) -> Bool) -> HTTPOutcome {
        let environment = variables.compactMap { name in
            unsafe getenv(name).map { unsafe "\(name)=\(String(cString: $0))" }
        }
        do throws(CommandError) {
            var isRefused = false
            let run = try ToolRun(
                ["curl", "-q", "-K", "-"], environment: environment + ["LC_ALL=C"],
                input: SecretBox(configuration(request)), limit: limit + 1, isApart: true
            ) { process in
                isRefused = !mayStart(process)
                return !isRefused
            }
            if isRefused { return .notSent(reason: "this process was stopped for too long") }
            return run.output.withBytes { outcome(run.exitCode, $0) }
        } catch {
            return .notSent(reason: error.message)
        }
    }

    private static func configuration(_ request: HTTPRequest) -> SecretBytes {
        let scheme = request.address.isLoopback ? "http" : "https"
        let options = [
            // No value has a quote or a backslash, which would need a backslash.
            "url = \"\(request.address.text)\"", "globoff", "proto = \"=\(scheme)\"", "disallow-username-in-url",
            "http1.1", "connect-timeout = 10", "max-time = 30", "silent", "show-error", "stderr = \"-\"",
            "header = \"Accept: application/json\"", "header = \"Expect:\"", "write-out = \"\\n%{http_code}\"",
        ]
        return SecretBytes { text in
            text.append(options.joined(separator: "\n"))
            if request.address.isLoopback { text.append("\nnoproxy = \"*\"") }
            if let form = request.form { text.append("\ndata-raw = ", quoting: form) }
            if let authorization = request.authorization {
                text.append("\nheader = \"Authorization: ")
                text.append(authorization)
                text.append("\"")
            }
        }
    }

    /// - Parameter output: the answer's body and, on the last line, its status; after an error, a message too.
    private static func outcome(_ exitCode: Int32, _ output: RawSpan) -> HTTPOutcome {
        guard output.byteCount <= limit else { return .unknown(reason: "the server's answer has more than 1 MiB") }
        guard exitCode == 0 else {
            let reason = message(in: output) ?? "curl ended with exit code \(exitCode)"
            return unsent.contains(exitCode) ? .notSent(reason: reason) : .unknown(reason: reason)
        }
        var end = output.byteCount
        while end > 0, output[end - 1] != UInt8(ascii: "\n") { end -= 1 }
        guard end > 0, let status = Int(String(lossy: output.extracting(end..<output.byteCount))) else {
            return .unknown(reason: "curl has reported no status")
        }
        return .answer(status: status, body: SecretBox(copying: output.extracting(0..<(end - 1))))
    }

    /// Returns curl's message, which contains no secret.
    private static func message(in output: RawSpan) -> String? {
        let lines = unsafe output.withUnsafeBytes { output in
            unsafe output.split(separator: UInt8(ascii: "\n")).suffix(4).map { unsafe Array($0.prefix(300)) }
        }
        return lines.last { $0.starts(with: "curl: (".utf8) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
