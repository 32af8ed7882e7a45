import CommandSupport

/// A variable for a command's environment.
package struct EnvironmentVariable: Equatable {
    package enum Value: Equatable {
        /// As it is: any bytes but NUL.
        case plain([UInt8])
        /// The secret itself.
        case secret(SecretReference)
        /// The path of a file in memory that holds the secret.
        case file(SecretReference)
    }

    package let name: String
    package let value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// Whether it is a name that a shell could set.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

/// A variable and a reference, as an option has them: `VAR=skr://SERVICE`.
struct Assignment {
    let name: String
    let reference: SecretReference

    /// Reads the option's value.
    ///
    /// No error shows what is behind the `=` unless it is a reference: somebody may have written a secret there.
    init(_ text: String, option: String) throws(CommandError) {
        let bytes = Array(text.utf8)
        let name = bytes.prefix { $0 != UInt8(ascii: "=") }
        guard name.count < bytes.count, EnvironmentVariable.isName(name) else {
            throw .usage("\(option) needs the form VAR=skr://SERVICE", hint: "VAR is letters, digits and '_'")
        }
        self.name = String(decoding: name, as: UTF8.self)
        let value = bytes[(name.count + 1)...]
        do throws(SecretReference.Problem) {
            reference = try SecretReference(parsing: value)
        } catch .notReference {
            throw .usage(
                "\(option) \(self.name): the value is not a reference, which begins with skr://",
                hint: "for a value that is no secret: env \(self.name)=VALUE skr exec ..."
            )
        } catch {
            let shown = Display.quoted(String(decoding: value, as: UTF8.self))
            throw .usage("\(option) \(self.name): \(shown): \(error.summary)", hint: SecretReference.form)
        }
    }
}
