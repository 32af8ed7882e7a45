#if !DEBUG
    import CKeyutils
    import Glibc
    import SessionKeyring

    /// Starts the command of a plain `skr exec` before the constructors of the Swift runtime have run, as ``EarlyGet``
    /// answers a get, and under the same rules.
    ///
    /// Plain is: nothing but `--env`, each variable once, names that need no escape, no field, items of the session that are
    /// there. Everything else, and a command that can't be run, is left to `main`, which begins anew.
    enum EarlyExec {
        static func run(_ arguments: CommandLineWords) {
            guard let count = variableCount(arguments), let place = try? Place(), place.scope == .session,
                let inherited = unsafe current_environment()
            else { return }
            var length = 0
            while unsafe inherited[length] != nil { length += 1 }
            let environment = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: length + count + 1)
            defer { unsafe environment.deallocate() }
            var filled = 0
            for position in 0..<length {
                guard let entry = unsafe inherited[position], unsafe !isSet(entry, by: arguments, count),
                    unsafe !RuntimeStart.added(entry)
                else { continue }
                unsafe environment[filled] = entry
                filled += 1
            }
            unsafe start(arguments, count, namespace: place.namespace, environment, filled)
        }

        /// Adds the secrets to the environment and becomes the command.
        private static func start(
            _ arguments: CommandLineWords,
            _ count: Int,
            namespace: String,
            _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
            _ filled: Int
        ) {
            var secrets = Entries(capacity: 65_536)
            defer { secrets.wipe() }
            for position in 0..<count {
                guard let option = unsafe PlainOption(arguments.pointer(2 + 2 * position)),
                    let entry = unsafe secrets.append(option, namespace: namespace)
                else { return }
                unsafe environment[filled + position] = entry
            }
            unsafe environment[filled + count] = nil
            unsafe arguments.suffix(from: 2 + 2 * count).withPointers { words in
                if let program = unsafe words[0] { _ = unsafe execvpe(program, words, environment) }
            }
        }

        /// How many variables are set; `nil` unless the words are `exec`, pairs of `--env` and a plain option, `--` and a
        /// command.
        private static func variableCount(_ arguments: CommandLineWords) -> Int? {
            guard arguments[0] == "exec" else { return nil }
            var position = 1
            while arguments[position] == "--env" {
                guard let option = unsafe PlainOption(arguments.pointer(position + 1)) else { return nil }
                var earlier = 2
                while earlier < position {
                    guard let other = unsafe arguments.pointer(earlier), unsafe !option.names(other) else { return nil }
                    earlier += 2
                }
                position += 2
            }
            return arguments[position] == "--" && position + 1 < arguments.count ? (position - 1) / 2 : nil
        }

        private static func isSet(
            _ entry: UnsafePointer<CChar>,
            by arguments: CommandLineWords,
            _ count: Int
        ) -> Bool {
            for position in 0..<count {
                if let option = unsafe PlainOption(arguments.pointer(2 + 2 * position)), unsafe option.names(entry) {
                    return true
                }
            }
            return false
        }
    }

    /// The value of `--env`, if it is `VAR=skr://SERVICE[/ACCOUNT]` and nothing in it needs a second look.
    @safe private struct PlainOption {
        let text: UnsafePointer<CChar>
        /// How long the variable's name is.
        let nameCount: Int
        let service: Range<Int>
        let account: Range<Int>

        init?(_ text: UnsafePointer<CChar>?) {
            guard let text = unsafe text else { return nil }
            var position = 0
            while unsafe Self.isLetter(text[position]) || (position > 0 && Self.isDigit(text[position])) {
                position += 1
            }
            guard position > 0, unsafe strncmp(text + position, "=skr://", 7) == 0 else { return nil }
            nameCount = position
            position += 7
            let serviceStart = position
            while unsafe Self.isPlain(text[position]) { position += 1 }
            service = serviceStart..<position
            if unsafe text[position] == CChar(UInt8(ascii: "/")) { position += 1 }
            let accountStart = position
            while unsafe Self.isPlain(text[position]) { position += 1 }
            account = accountStart..<position
            let hasEmptyAccount = accountStart > service.upperBound && account.isEmpty
            guard unsafe text[position] == 0, !service.isEmpty, !hasEmptyAccount else { return nil }
            unsafe self.text = unsafe text
        }

        /// Whether that text sets the same variable.
        func names(_ other: UnsafePointer<CChar>) -> Bool {
            unsafe strncmp(other, text, nameCount + 1) == 0
        }

        func string(_ range: Range<Int>) -> String {
            let start = unsafe UnsafeRawPointer(text + range.lowerBound)
            return unsafe String(
                decoding: UnsafeRawBufferPointer(start: start, count: range.count), as: UTF8.self)
        }

        private static func isPlain(_ byte: CChar) -> Bool {
            isLetter(byte) || isDigit(byte) || byte == CChar(UInt8(ascii: "-")) || byte == CChar(UInt8(ascii: "."))
        }

        private static func isLetter(_ byte: CChar) -> Bool {
            let lower = byte | 0x20
            return (lower >= CChar(UInt8(ascii: "a")) && lower <= CChar(UInt8(ascii: "z")))
                || byte == CChar(UInt8(ascii: "_"))
        }

        private static func isDigit(_ byte: CChar) -> Bool {
            byte >= CChar(UInt8(ascii: "0")) && byte <= CChar(UInt8(ascii: "9"))
        }
    }

    /// The entries of an environment, in memory that is ordinary, as the command's own will be in a moment, but wiped where
    /// the command does not start.
    @safe private struct Entries {
        private let start: UnsafeMutablePointer<CChar>
        private let capacity: Int
        private var count = 0

        init(capacity: Int) {
            unsafe start = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
            self.capacity = capacity
        }

        /// The entry `VAR=secret`; `nil` where there is no such item, or it does not fit.
        mutating func append(_ option: PlainOption, namespace: String) -> UnsafeMutablePointer<CChar>? {
            let entry = unsafe start + count
            let room = capacity - count - option.nameCount - 2
            let item = ItemIdentity.password(
                service: option.string(option.service), account: option.string(option.account))
            var isComplete = false
            _ = FirstLook.read(item, namespace: namespace) { bytes in
                guard bytes.byteCount <= room else { return }
                unsafe memcpy(entry, option.text, option.nameCount + 1)
                let value = unsafe entry + option.nameCount + 1
                unsafe bytes.withUnsafeBytes { bytes in
                    if let source = bytes.baseAddress { _ = unsafe memcpy(value, source, bytes.count) }
                }
                unsafe value[bytes.byteCount] = 0
                count += option.nameCount + 1 + bytes.byteCount + 1
                // A NUL within the secret is an error that `main` tells.
                isComplete = unsafe strlen(value) == bytes.byteCount
            }
            return unsafe isComplete ? entry : nil
        }

        func wipe() {
            unsafe explicit_bzero(start, count)
            unsafe start.deallocate()
        }
    }
#endif
