import CredentialHelpers
import Testing

@Suite("Addresses that secrets are for")
struct WebAddressTests {
    @Test(
        "an address has a scheme, a host, and a path without slashes at its end",
        arguments: [
            ("https://h", "h", ""), ("http://h:80/", "h:80", ""), ("https://h/a/b//", "h", "/a/b"),
            ("https://h/!~", "h", "/!~"), ("https://h/a?x=/b", "h", "/a"), ("https://h/a#b", "h", "/a"),
            ("https://[::1]:8443/a", "[::1]:8443", "/a"), ("https://h-1.x_y/...", "h-1.x_y", "/..."),
        ])
    func parts(text: String, host: String, path: String) throws {
        let address = try #require(WebAddress(text))
        #expect(address.host == host)
        #expect(address.path == path)
    }

    @Test(
        "an address that a server could read differently is refused",
        arguments: [
            "", "h", "ftp://h", "https://", "https://h:", "https://u@h", "https://h/a b", "https://h/\u{7F}",
            "https://h/é",
            "https://h/a\\b", "https://h/..", "https://h/a/../b", "https://h/%2E%2e/b", "https://h/a%2f..%5Cb",
            "https://h/..;x/b", "https://h/./a", "https://h\n",
        ])
    func refused(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test("the service of an item has no query and no fragment")
    func service() {
        #expect(WebAddress(service: "https://h/a") != nil)
        #expect(WebAddress(service: "https://h/a?x") == nil)
        #expect(WebAddress(service: "https://h/a#x") == nil)
    }
}
