import Keyutils

import CommandSupport

/// An order of names in which numbers count as numbers: `svc-2` comes before `svc-10`.
package enum NaturalOrder {
    /// Returns whether the left name comes before the right one.
    ///
    /// Runs of digits are compared as numbers, however long they are, and everything else byte by byte. If the names
    /// are equal in this order, as `1` and `01` are, all of their bytes are compared.
    package static func isOrdered(_ left: String, _ right: String) -> Bool {
        let (leftBytes, rightBytes) = (Array(left.utf8), Array(right.utf8))
        var (leftRest, rightRest) = (leftBytes[...], rightBytes[...])
        while let first = leftRest.first, let second = rightRest.first {
            guard first.isDigit, second.isDigit else {
                if first != second { return first < second }
                leftRest.removeFirst()
                rightRest.removeFirst()
                continue
            }
            let (number, other) = (takeNumber(from: &leftRest), takeNumber(from: &rightRest))
            if number.count != other.count { return number.count < other.count }
            if !number.elementsEqual(other) { return number.lexicographicallyPrecedes(other) }
        }
        if leftRest.isEmpty != rightRest.isEmpty { return leftRest.isEmpty }
        return leftBytes.lexicographicallyPrecedes(rightBytes)
    }

    /// Removes the digits at the start and returns them without leading zeros.
    private static func takeNumber(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = rest.prefix(while: \.isDigit)
        rest = rest[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
