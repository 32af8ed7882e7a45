import Keyutils
package import SecretText

package enum Random {
    /// Returns 256 random bits as hexadecimal digits.
    package static func text() -> SecretBox {
        var generator = SystemRandomNumberGenerator()
        return SecretBox(
            SecretBytes(capacity: 64) { text in
                for _ in 0..<4 { text.append((generator.next() as UInt64).hexadecimal(digits: 16)) }
            })
    }
}
