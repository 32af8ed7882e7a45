import Glibc

/// Whether the tests run as root, who has room for 25 MB of keys and can become other users.
///
/// An ordinary user has room for 20,000 bytes.
package let isRoot = geteuid() == 0
