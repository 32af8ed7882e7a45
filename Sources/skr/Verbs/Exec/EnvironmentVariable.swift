import CommandSupport
import Keyutils

/// A variable for a command's environment.
package struct EnvironmentVariable: Equatable {
    package enum Value: Equatable {
        /// This text unchanged: any bytes except NUL.
        case plain([UInt8])
        /// The secret itself.
        case secret(SecretReference)
        /// The secret to which the variable's current value refers.
        case inherited
        /// The path of a file in memory that holds the secret.
        case file(SecretReference)
    }

    package let name: String
    package let value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// The reference that the value is read from; `nil` for a plain or inherited value.
    var reference: SecretReference? {
        switch value {
        case .plain, .inherited: nil
        case .secret(let reference), .file(let reference): reference
        }
    }

    /// Parses the value of an option: `VAR=skr://SERVICE`, or with `--env` also `VAR` alone.
    ///
    /// An error shows the text after the `=` only if it is a reference, because the user could have written
    /// a secret there.
    ///
    /// - Parameter isFile: true for `--file`, false for `--env`.
    init(_ text: String, isFile: Bool) throws(CommandError) {
        let option = isFile ? "--file" : "--env"
        let bytes = Array(text.utf8)
        let encodedName = bytes.prefix { $0 != UInt8(ascii: "=") }
        let hasValue = encodedName.count < bytes.count
        guard EnvironmentBlock.isName(encodedName), hasValue || !isFile else {
            let form = isFile ? "VAR=skr://SERVICE" : "VAR=skr://SERVICE, or VAR for a variable that holds a reference"
            throw .usage(
                "\(option) needs the form \(form)",
                hint: "VAR has letters, digits and '_', and begins with a letter or '_'")
        }
        let name = String(decoding: encodedName, as: UTF8.self)
        guard hasValue else {
            self.init(name: name, value: .inherited)
            return
        }
        let encoded = bytes[(encodedName.count + 1)...]
        do throws(InputProblem) {
            let reference = try SecretReference(parsing: encoded)
            self.init(name: name, value: isFile ? .file(reference) : .secret(reference))
        } catch {
            guard error != .notReference else {
                throw .usage(
                    "\(option) \(name): the value is not a reference (skr://...)",
                    hint: "for a value that isn't secret: env \(name)=VALUE skr exec ...")
            }
            let shown = Display.quoted(String(decoding: encoded, as: UTF8.self))
            throw .usage("\(option) \(name): \(shown): \(error.summary)", hint: error.hint)
        }
    }

    static func parse(_ texts: [String], isFile: Bool) throws(CommandError) -> [EnvironmentVariable] {
        var variables: [EnvironmentVariable] = []
        for text in texts { variables.append(try EnvironmentVariable(text, isFile: isFile)) }
        return variables
    }
}
