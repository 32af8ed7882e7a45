import Foundation

extension Witness {
    /// Builds the library that counts, and runs the witness with it.
    static func find() throws -> Witness {
        try Package.withTemporaryDirectory { directory in
            let library = directory.appending(path: "preload.so").path(percentEncoded: false)
            let source = Package.directory.appending(path: "Witness/preload.c").path(percentEncoded: false)
            _ = try Package.output(of: ["cc", "-O2", "-shared", "-fPIC", "-o", library, source])
            let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path(percentEncoded: false)
            let output = try Package.output(of: [program, verb], environment: ["LD_PRELOAD": library])
            return try JSONDecoder().decode(Witness.self, from: output)
        }
    }
}
