import Keyutils
import Threads

/// A value that identifies its writer, item and run, and that shows whether it is whole.
///
/// It has a header of words (seed, stamp, item, size, count, checksum). The bytes after the header are derived from the
/// stamp, so that two values have a part in common only by chance.
package enum StampedValue {
    /// The size of a value that has only a header, in bytes.
    package static let smallestSize = 48

    /// A defect of bytes that were read, as findings show it.
    package enum Flaw: String, Sendable, BitwiseCopyable {
        /// No writer wrote these bytes as one value.
        case torn
        /// The value is whole, but belongs to another item.
        case otherItem = "another item's"
        /// The value is whole, but belongs to another run.
        case otherRun = "another run's"
    }

    /// The content of bytes that were read.
    package struct Reading: Sendable {
        package var stamp: Stamp?
        /// The writer's counter, if the workload counts.
        package var count: UInt64 = 0
        package var flaw: Flaw?
    }

    /// Writes a value that fills the buffer.
    static func write(
        stamp: Stamp, item: UInt64, seed: UInt64, count: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) {
        precondition(bytes.count >= smallestSize)
        unsafe store(seed, at: 0, in: bytes)
        unsafe store(stamp.rawValue, at: 1, in: bytes)
        unsafe store(item, at: 2, in: bytes)
        unsafe store(UInt64(bytes.count), at: 3, in: bytes)
        unsafe store(count, at: 4, in: bytes)
        var filling = Choices(seed: stamp.rawValue, stream: item)
        var position = smallestSize
        while position < bytes.count {
            var word = filling.next()
            for _ in 0..<min(8, bytes.count - position) {
                unsafe bytes[position] = UInt8(truncatingIfNeeded: word)
                word >>= 8
                position += 1
            }
        }
        unsafe store(checksum(UnsafeRawBufferPointer(bytes)), at: 5, in: bytes)
    }

    /// Reads a value, and checks that it is whole and belongs to this item and run.
    static func read(_ span: RawSpan, item: UInt64, seed: UInt64) -> Reading {
        unsafe span.withUnsafeBytes { bytes in
            guard bytes.count >= smallestSize, unsafe load(3, from: bytes) == UInt64(bytes.count),
                unsafe load(5, from: bytes) == checksum(bytes), let stamp = unsafe Stamp(rawValue: load(1, from: bytes))
            else { return Reading(flaw: .torn) }
            guard unsafe load(0, from: bytes) == seed else { return Reading(stamp: stamp, flaw: .otherRun) }
            guard unsafe load(2, from: bytes) == item else { return Reading(stamp: stamp, flaw: .otherItem) }
            return unsafe Reading(stamp: stamp, count: load(4, from: bytes))
        }
    }

    private static func store(_ word: UInt64, at index: Int, in bytes: UnsafeMutableRawBufferPointer) {
        unsafe bytes.storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self)
    }

    private static func load(_ index: Int, from bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
    }

    /// The checksum of all bytes except the word that holds the checksum.
    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x0000_0100_0000_01B3
            sum ^= sum >> 29
        }
        for index in 0..<5 { unsafe add(load(index, from: bytes)) }
        var position = smallestSize
        while position + 8 <= bytes.count {
            unsafe add(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        while position < bytes.count {
            unsafe add(UInt64(bytes[position]))
            position += 1
        }
        return sum
    }
}
