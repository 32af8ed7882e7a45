import Keyutils

/// A number of 1,024 bits, with arithmetic modulo the prime of RFC 2409's second Oakley group.
///
/// The time of a power depends only on the length of the exponent, so it reveals nothing about the exponent. The
/// numbers are in Montgomery's form: `x * 2^1024 mod p`.
struct OakleyNumber {
    static let byteCount = 128
    private static let limbCount = 16

    /// The limbs, least significant first.
    private var limbs: InlineArray<16, UInt64>

    private static let prime = OakleyNumber(
        hexadecimal: """
            FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
            EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
            EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF
            """)
    /// `-1/p mod 2^64`: the lowest limb of the prime is -1.
    private static let negatedInverse: UInt64 = 1
    private static let one = OakleyNumber(hexadecimal: "1")
    /// `2^2048 mod p`, which converts a number to Montgomery's form.
    private static let squaredRadix = (0..<2_048).reduce(one) { number, _ in number.doubled() }

    private init(limbs: InlineArray<16, UInt64>) {
        self.limbs = limbs
    }

    private init(hexadecimal text: String) {
        self = .zeroed
        for digit in text.utf8 {
            var carry = UInt64(digit.hexDigitValue ?? 0)
            for position in 0..<Self.limbCount {
                (limbs[position], carry) = (limbs[position] << 4 | carry, limbs[position] >> 60)
            }
        }
    }

    private static var zeroed: OakleyNumber { OakleyNumber(limbs: InlineArray(repeating: 0)) }

    /// Reads a big-endian number of any length; `nil` if it has more than 1,024 bits.
    private init?(bigEndian bytes: RawSpan) {
        self = .zeroed
        for position in 0..<bytes.byteCount {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: bytes.byteCount - 1 - position, as: UInt8.self)
            guard position < Self.byteCount else {
                guard byte == 0 else { return nil }
                continue
            }
            limbs[position / 8] |= UInt64(byte) << UInt64(8 * (position % 8))
        }
    }

    /// Subtracts the prime if the number, with this carry above it, is not smaller.
    private func reduced(carry: UInt64) -> OakleyNumber {
        var difference = self
        var borrow: UInt64 = 0
        let prime = Self.prime.limbs
        for position in 0..<Self.limbCount {
            let (first, hasFirst) = limbs[position].subtractingReportingOverflow(prime[position])
            let (second, hasSecond) = first.subtractingReportingOverflow(borrow)
            difference.limbs[position] = second
            borrow = (hasFirst ? 1 : 0) | (hasSecond ? 1 : 0)
        }
        // All ones if the difference is the result.
        let mask = 0 &- (carry | (borrow ^ 1))
        for position in 0..<Self.limbCount {
            difference.limbs[position] = difference.limbs[position] & mask | limbs[position] & ~mask
        }
        return difference
    }

    private func doubled() -> OakleyNumber {
        var double = self
        var carry: UInt64 = 0
        for position in 0..<Self.limbCount {
            (double.limbs[position], carry) = (limbs[position] << 1 | carry, limbs[position] >> 63)
        }
        return double.reduced(carry: carry)
    }

    /// Returns `self * other / 2^1024 mod p`.
    private func times(_ other: OakleyNumber) -> OakleyNumber {
        var sum = OakleyNumber.zeroed
        var top: UInt64 = 0
        let prime = Self.prime.limbs
        for position in 0..<Self.limbCount {
            let multiple = other.limbs[position]
            let factor = (limbs[0] &* multiple &+ sum.limbs[0]) &* Self.negatedInverse
            // Adds a multiple of `self` and one of the prime, which makes the lowest limb zero, and drops that limb.
            var (carry, reduction): (UInt64, UInt64) = (0, 0)
            for limb in 0..<Self.limbCount {
                let first = Self.add(limbs[limb], times: multiple, sum.limbs[limb], carry)
                carry = first.high
                let second = Self.add(prime[limb], times: factor, first.low, reduction)
                reduction = second.high
                if limb > 0 { sum.limbs[limb - 1] = second.low }
            }
            let (partial, firstOverflow) = top.addingReportingOverflow(carry)
            let (whole, secondOverflow) = partial.addingReportingOverflow(reduction)
            sum.limbs[Self.limbCount - 1] = whole
            top = (firstOverflow ? 1 : 0) + (secondOverflow ? 1 : 0)
        }
        return sum.reduced(carry: top)
    }

    /// Returns `a * b + c + d`, which always fits.
    @inline(__always)
    private static func add(
        _ a: UInt64, times b: UInt64, _ c: UInt64, _ d: UInt64
    ) -> (high: UInt64, low: UInt64) {
        let product = a.multipliedFullWidth(by: b)
        let (first, hasFirst) = product.low.addingReportingOverflow(c)
        let (second, hasSecond) = first.addingReportingOverflow(d)
        return (product.high &+ (hasFirst ? 1 : 0) &+ (hasSecond ? 1 : 0), second)
    }

    /// Computes `base^exponent mod p`.
    ///
    /// - Parameters:
    ///   - base: a big-endian number.
    ///   - exponent: a big-endian number of any length, which determines the time.
    /// - Returns: 128 bytes, big-endian; `nil` unless `2 <= base <= p - 2`.
    static func power(_ base: RawSpan, _ exponent: RawSpan) -> SecretBytes? {
        guard let base = OakleyNumber(bigEndian: base), base.isInGroup else { return nil }
        let factor = base.times(squaredRadix)
        var result = one.times(squaredRadix)
        for position in 0..<exponent.byteCount {
            let byte = unsafe exponent.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            for bit in (0..<8).reversed() {
                result = result.times(result)
                result.choose(result.times(factor), if: UInt64(byte >> UInt8(bit) & 1))
            }
        }
        let plain = result.times(one)
        return unsafe SecretBytes(capacity: byteCount) { buffer in
            for position in 0..<byteCount {
                let limb = plain.limbs[(byteCount - 1 - position) / 8]
                unsafe buffer[position] = UInt8(
                    truncatingIfNeeded: limb >> UInt64(8 * ((byteCount - 1 - position) % 8)))
            }
            return byteCount
        }
    }

    /// Takes the other number if the bit is 1, in the same time as otherwise.
    private mutating func choose(_ other: OakleyNumber, if bit: UInt64) {
        let mask = 0 &- bit
        for position in 0..<Self.limbCount {
            limbs[position] = other.limbs[position] & mask | limbs[position] & ~mask
        }
    }

    /// Whether `2 <= self <= p - 2`; the number is public.
    private var isInGroup: Bool {
        var isBig = limbs[0] > 1
        for position in 1..<Self.limbCount where limbs[position] != 0 { isBig = true }
        for position in (0..<Self.limbCount).reversed() where limbs[position] != Self.prime.limbs[position] {
            return isBig && limbs[position] < Self.prime.limbs[position]
                && !(position == 0 && limbs[0] == Self.prime.limbs[0] - 1)
        }
        return false
    }
}
