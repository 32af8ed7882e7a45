// PAGE
precondition(again == "s3cret" && login?.groups == ["ops"] && length == 33)
let stored = try store.get(token, as: String.self)
precondition(stored == "s3cret")
do throws(SecretStoreError) {
    try store.add("second", for: .password(service: "leader"))
    preconditionFailure("there were two")
} catch {
    precondition(error.code == .duplicate)
}
