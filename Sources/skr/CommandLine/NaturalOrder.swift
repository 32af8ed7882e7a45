import Keyutils

import CommandSupport

/// The order of names as people count: `svc-2` before `svc-10`.
package enum NaturalOrder {
    /// Whether the left name stands before the right one: runs of digits by their numbers, however long they are, all else
    /// by its bytes; where that makes no difference, as between `1` and `01`, by the bytes of the whole.
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

    /// Takes the digits, and gives them without the zeros before the number.
    private static func takeNumber(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = rest.prefix(while: \.isDigit)
        rest = rest[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
