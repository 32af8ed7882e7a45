import CommandSupport

struct AnsibleClient: HelperClient {
    static let name = "ansible"
    static let summary = "Passwords of vaults, for ansible-vault."
    static let details = """
        Works as a vault password client script of Ansible, which calls it with a vault ID. 'skr set ID' stores the \
        password for that ID. If no item has that name, the exit code is 2.
        """
    static let examples = """
        skr helper install ansible
        printf x | skr set prod --timeout 8h
        skr helper ansible --vault-id prod
        """

    static let start = HelperStart.link("skr-client", isFoundInPath: false, takesOptions: false)
    static let errors = HelperErrors.onStandardError

    private let id: String?
    private let options: HelperOptions

    init(_ words: inout CommandWords) {
        id = words.option("--vault-id", value: "ID", "The vault ID, which is the item's name; without it, 'default'.")
        options = HelperOptions(&words)
    }

    func run() throws {
        try options.call(of: Self.self).answer(.none, isReading: true) { helper, _ in
            try helper.ansible(id: id ?? "default")
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "skr-client", variables: ["ANSIBLE_VAULT_IDENTITY_LIST"]) { call, _ in
            let program = Display.shellWord(call.linkPath)
            return [
                "store the password for the vault ID 'prod', and let Ansible ask skr for it:", call.storing("prod"),
                "  ansible-playbook --vault-id prod@\(program) site.yml",
            ]
        }
    }
}
