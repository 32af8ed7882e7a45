import Threads

/// A value that tells who wrote it, for which item and in which run, and whether it is whole.
///
/// A header of words (seed, stamp, item, size, count, checksum), then bytes that follow from the stamp, so that no two
/// values have a part in common but by chance.
package enum StampedValue {
    /// The bytes of a value that is nothing but its header.
    package static let smallestSize = 48

    /// What is wrong with bytes that were read.
    package enum Flaw: Sendable, BitwiseCopyable {
        /// They are not what any writer wrote in one piece.
        case torn
        /// They are whole, and another item's.
        case otherItem
        /// They are whole, and another run's.
        case otherRun
    }

    /// What bytes that were read say.
    package struct Reading: Sendable {
        package var stamp: Stamp?
        /// What the writer counted, where it counts.
        package var count: UInt64 = 0
        package var flaw: Flaw?
    }

    /// Writes a value of so many bytes.
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

    /// Reads a value and checks that it is whole, and of this item and run.
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

    /// Over all bytes but the word that holds it.
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
