import Keyutils
import Testing

@Suite("Serials and special ids")
struct KeySerialTests {
    @Test(
        "a special id has the number that keyutils.h defines",
        arguments: [
            (KeySerial.threadKeyring, -1), (.processKeyring, -2), (.sessionKeyring, -3), (.userKeyring, -4),
            (.userSessionKeyring, -5), (.groupKeyring, -6), (.requestKeyAuthorization, -7),
        ] as [(KeySerial, Int32)]
    )
    func specialID(_ serial: KeySerial, _ number: Int32) {
        #expect(serial.rawValue == number)
        #expect(serial.isSpecial)
        #expect(serial.description == String(number))
    }

    @Test("a serial is not a special id, and prints in decimal")
    func serial() {
        let serial = KeySerial(rawValue: 0x1000_0000)
        #expect(!serial.isSpecial)
        #expect(!KeySerial(rawValue: 0).isSpecial)
        #expect(serial.description == "268435456")
        #expect(Key(serial).description == "268435456")
        #expect(Keyring(serial).description == "268435456")
    }

    @Test("a key made from a keyring has its serial")
    func keyOfKeyring() {
        #expect(Key(Keyring(KeySerial(rawValue: 77))).serial.rawValue == 77)
        #expect(Keyring.thread.serial == .threadKeyring)
    }
}
