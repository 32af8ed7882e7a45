/// A value that tells who wrote it, and whether it is whole.
package enum StampedValue {
    /// The bytes of a value that is nothing but its stamp and its checksum.
    package static let smallestSize = 48
}
