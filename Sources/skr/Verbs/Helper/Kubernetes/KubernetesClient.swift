import CommandSupport
import CredentialHelpers
import SecretText

struct KubernetesClient: HelperClient {
    static let name = "kubernetes"
    static let aliases = ["kubectl"]
    static let summary = "Tokens and certificates of clusters, for kubectl."
    static let details = """
        Works as an exec plugin in a kubeconfig. The item NAME, or CMD's output, is a token, JSON that has a token, \
        or an ExecCredential, which may have a client certificate and its key.

        \(TokenWords.details)

        With 'provideClusterInfo: true' in the kubeconfig, skr keeps one output for each cluster.

        'skr cached --forget NAME --key kubernetes' deletes the kept output. For one cluster, add --key ACCOUNT ('' \
        without an account) and --key SERVER: the cluster's 'server' exactly as in the kubeconfig.
        """
    static let examples = """
        skr helper install kubernetes
        printf tok3n | skr set work --timeout 8h
        skr helper kubernetes work
        """

    static let start = HelperStart.commandLine
    static let errors = HelperErrors.onStandardError

    private let token: TokenWords

    init(_ words: inout CommandWords) { token = TokenWords(&words) }

    func run() throws {
        let call = try token.call(of: Self.self)
        let request = Array((try call.environment("KUBERNETES_EXEC_INFO") ?? "").utf8)
        let server = unsafe JSONField.text(of: JSONPath("spec.cluster.server"), in: request.span.bytes)
        try call.answer(for: [server?.text]) { () throws(UnusableToken) in
            try unsafe ExecCredential(asked: request.span.bytes)
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "command: skr", files: [("KUBECONFIG", ".kube/config")]) { call, file in
            let words = ["helper", "kubernetes", "work"] + call.options
            return [
                "for each user in \(file):",
                "  kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1 \\",
                "    --exec-interactive-mode=IfAvailable --exec-command=skr \\",
                "    " + words.map { Display.shellWord("--exec-arg=\(kubectlWord($0))") }.joined(separator: " "),
                "kubectl before 1.30 has no --exec-interactive-mode, which v1 needs: leave it out, and use v1beta1",
                "store the token in the item 'work' (or JSON that has a token, or an ExecCredential):",
                call.storing("work"),
            ]
        }
    }

    /// Quotes a word for kubectl, which reads it as a line of CSV and would split it at a comma.
    private static func kubectlWord(_ word: String) -> String {
        let quote = UInt8(ascii: "\"")
        guard word.isEmpty || word.utf8.contains(where: { "\",\n\r".utf8.contains($0) }) else { return word }
        let parts = word.utf8.split(separator: quote, omittingEmptySubsequences: false)
        return "\"\(parts.map { String(Substring($0)) }.joined(separator: "\"\""))\""
    }
}
