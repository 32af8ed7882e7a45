import Glibc

/// Lists the names in a folder; the list is empty if the folder can't be read.
enum FolderNames {
    /// - Parameter passOver: called for each name that isn't UTF-8, with a readable form of the name and whether
    ///   it is a folder.
    static func all(in folder: String, passOver: (String, _ isFolder: Bool) -> Void = { _, _ in }) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let (name, shown) = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    (unsafe String(validatingCString: $0), unsafe String(cString: $0))
                }
            }
            if let name { names.append(name) } else { passOver(shown, unsafe Int32(entry.pointee.d_type) == DT_DIR) }
        }
        return names
    }
}
