package import Glibc
import Keyutils
package import SystemPackage

/// A path, walked name by name as the kernel does, with all that could make it lead elsewhere.
///
/// Each folder is opened before a name is looked up in it. If only this user and root can change the folders and links,
/// the path still leads to the same place later.
package struct WalkedPath: ~Copyable {
    package struct Place {
        package let path: String
        package let found: stat

        package var isFolder: Bool { found.st_mode & S_IFMT == S_IFDIR }
        package var isLink: Bool { found.st_mode & S_IFMT == S_IFLNK }

        fileprivate func isSame(as other: Place) -> Bool {
            found.st_ino == other.found.st_ino && found.st_dev == other.found.st_dev
        }
    }

    /// The number of links that the kernel follows.
    private static let limit = 40
    /// O_PATH from linux/fcntl.h.
    private static let placeOnly: CInt = 0o10_000_000

    /// The folders and links in the order of the walk, and at the end the file.
    package private(set) var places: [Place] = []
    /// The error that ended the walk early.
    package private(set) var failure: Errno?
    private var folder = AT_FDCWD
    private var name = "."
    /// O_NOFOLLOW, or 0 if the name is that of a link in /proc.
    private var following = O_NOFOLLOW
    /// The places that lead to the home folder, and that folder.
    private var homeward: [Place] = []

    /// A relative path starts at the working folder, whose own path isn't walked.
    ///
    /// - Parameter home: a folder; the places that lead to it are trusted, as sshd does.
    package init(_ path: String, home: String? = nil) {
        // O_PATH alone doesn't mount what autofs mounts at the first access.
        _ = unsafe access(path, F_OK)
        do throws(Errno) {
            try walk(path)
        } catch {
            failure = error
        }
        guard let home else { return }
        let walk = WalkedPath(home)
        guard walk.failure == nil, let end = walk.places.last else { return }
        homeward = walk.places.prefix { !$0.isSame(as: end) } + [end]
    }

    deinit {
        close(folder)
    }

    private mutating func walk(_ path: String) throws(Errno) {
        var names = try start(path)
        var links = 0
        while let next = names.popLast() {
            // The folder's path has no links, so '..' leads to its parent.
            let path = FilePath(places.last { $0.isFolder }?.path ?? "/").appending(next).lexicallyNormalized()
            let (found, place) = try openPlace(next, path.string)
            if place.isFolder {
                close(folder)
                folder = found
                continue
            }
            defer { close(found) }
            guard place.isLink else {
                guard names.isEmpty else { throw .notDirectory }
                name = next
                return
            }
            links += 1
            guard links <= Self.limit else { throw .tooManySymbolicLinkLevels }
            guard let target = try Self.linkTarget("", in: found) else { throw .last }
            names += target.utf8.first == UInt8(ascii: "/") ? try start(target) : Self.names(of: target)
        }
    }

    /// Opens the folder at which a path starts, and returns the path's names, the last one first.
    private mutating func start(_ path: String) throws(Errno) -> [String] {
        let first = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
        let start = try openPlace(first, first).0
        close(folder)
        folder = start
        return Self.names(of: path)
    }

    private static func names(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }.reversed()
    }

    private mutating func openPlace(_ name: String, _ path: String) throws(Errno) -> (CInt, Place) {
        following = O_NOFOLLOW
        while true {
            let opened = unsafe openat(folder, name, Self.placeOnly | following | O_CLOEXEC)
            var (found, proc) = (stat(), stat())
            guard opened >= 0, unsafe fstat(opened, &found) == 0 else { throw .last }
            let place = Place(path: path, found: found)
            places.append(place)
            // A link in /proc, such as /proc/self/fd/3, can lead to a file without a path, so the kernel follows it.
            guard place.isLink, unsafe stat("/proc", &proc) == 0, found.st_dev == proc.st_dev else {
                return (opened, place)
            }
            close(opened)
            following = 0
        }
    }

    /// Opens the file or folder for reading.
    package func open() throws(Errno) -> FileDescriptor {
        if let failure { throw failure }
        let file = unsafe openat(folder, name, O_RDONLY | following | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .last }
        return FileDescriptor(rawValue: file)
    }

    /// The places that belong to other users than this one and root.
    package var foreign: [Place] {
        untrusted.map { places[$0] }.filter { $0.found.st_uid != 0 && $0.found.st_uid != Self.ownUser }
    }

    /// The indices of all places, except those from which the next one leads to the home folder, too.
    private var untrusted: [Int] {
        let isHomeward = places.map { place in homeward.contains { $0.isSame(as: place) } } + [false]
        return places.indices.filter { !isHomeward[$0] || !isHomeward[$0 + 1] }
    }

    /// Returns the places that other users can replace or change if they have one of these permissions.
    ///
    /// In a sticky folder, such as `/tmp`, others can't replace a folder that isn't theirs. But they can move our files
    /// and links into it, and create what doesn't exist there.
    package func places(openTo others: mode_t) -> [Place] {
        untrusted.filter { index in
            let (mode, next) = (places[index].found.st_mode, index + 1)
            let isSticky = places[index].isFolder && mode & S_ISVTX != 0
            return mode & others != 0 && !places[index].isLink
                && (!isSticky || (next < places.count ? !places[next].isFolder : failure != nil))
        }.map { places[$0] }
    }

    /// Whether the path leads somewhere, and only this user and root can change where.
    package var isOurs: Bool { failure == nil && foreign.isEmpty && places(openTo: 0o022).isEmpty }

    /// This process's user; `nil` if its number stands for all users that this user namespace doesn't map.
    private static let ownUser: uid_t? = {
        var found = stat()
        // PROC_USER_INIT_INO from linux/proc_ns.h: the machine's own user namespace, which maps all users.
        if unsafe stat("/proc/self/ns/user", &found) == 0, found.st_ino == 0xEFFF_FFFD { return geteuid() }
        let unmapped = (try? readProcFile("/proc/sys/kernel/overflowuid")).flatMap { uid_t($0.dropLast()) } ?? 65_534
        return geteuid() != unmapped || (try? UserNamespace.isIdentity()) == true ? geteuid() : nil
    }()

    /// Returns the path that the link leads to; `nil` if it isn't a link.
    package static func linkTarget(_ path: String, in folder: CInt = AT_FDCWD) throws(Errno) -> String? {
        let longest = 4_096
        var length = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            if let start = buffer.baseAddress { length = unsafe readlinkat(folder, path, start, longest) }
            count = max(0, length)
        }
        guard length >= 0 else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidArgument }
        return text
    }
}
