import CommandSupport

struct DockerClient: HelperClient {
    static let name = "docker"
    static let aliases = ["podman", "buildah", "skopeo", "helm"]
    static let summary = "Passwords of registries, for docker and podman."
    static let details = """
        'docker login' stores the password in the keyring instead of in config.json. 'docker pull', 'push' and \
        'build' read it from there.

        An item's service is the server as docker names it (ghcr.io); its account is the user. Each server has one \
        user: a login as another user replaces the first.

        'docker build' passes everything that 'skr helper docker list' prints to the builder. So 'list' prints only \
        the items that docker stored, and not those of 'skr set'. 'get' finds both.
        """
    static let examples = """
        skr helper install docker --write-config
        echo '{"ServerURL":"ghcr.io","Username":"me","Secret":"x"}' | skr helper docker store
        echo ghcr.io | skr helper docker get
        """

    static let start = HelperStart.link("docker-credential-skr", isFoundInPath: true, takesOptions: false)
    // docker shows only standard output.
    static let errors = HelperErrors.onStandardOutput

    private let options: HelperOptions
    private let operation: String

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        operation = words.word(
            "OPERATION", "get, store, erase, list or version; docker passes it.",
            .choice("get|store|erase|list|version"))
    }

    func run() throws {
        let request: HelperRequest =
            switch operation {
            case "get", "erase": .whole(isStoring: false)
            case "store": .whole(isStoring: true)
            default: .none
            }
        try options.call(of: Self.self).answer(request, isReading: operation == "get") { helper, request in
            try helper.docker(operation, request: request, version: RootVerb.versionNumber)
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ["podman", "buildah", "skopeo"].contains(program) ? containers : DockerSetup()
    }

    private static let containers = ShownSetup(
        words: #""skr""#,
        files: [
            ("REGISTRY_AUTH_FILE", ".config/containers/auth.json"),
            ("XDG_RUNTIME_DIR/containers/auth.json", ".config/containers/auth.json"),
        ]
    ) { call, file in
        let usual = "${XDG_RUNTIME_DIR}/containers/auth.json"
        return [
            "in \(call.user.variable("REGISTRY_AUTH_FILE") == nil ? usual : file), for each registry:",
            #"  { "credHelpers": { "registry.example.com": "skr" } }"#,
            "then run '\(call.name) login' to store the password in the keyring",
        ]
    }
}
