import Glibc

/// Root has room for 25 MB of keys, and may become other users; an ordinary user has 20,000 bytes.
package let isRoot = geteuid() == 0
