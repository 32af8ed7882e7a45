import SessionKeyring

/// The item that these tests fetch.
let oauthItem = ItemIdentity.password(service: "oauth")

/// A token as an OAuth server issues it.
struct OAuthToken: Codable, Equatable, Sendable {
    var access: String
    var refresh: String
}
