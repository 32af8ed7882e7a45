import Keyutils
import Testing

@Suite("Permission masks")
struct KeyPermissionsTests {
    @Test(
        "each permission has the bit that keyutils.h defines",
        arguments: [
            (KeyPermissions.possessorView, 0x0100_0000), (.possessorRead, 0x0200_0000),
            (.possessorWrite, 0x0400_0000), (.possessorSearch, 0x0800_0000), (.possessorLink, 0x1000_0000),
            (.possessorSetAttribute, 0x2000_0000), (.possessorAll, 0x3f00_0000),
            (.userView, 0x0001_0000), (.userRead, 0x0002_0000), (.userWrite, 0x0004_0000),
            (.userSearch, 0x0008_0000), (.userLink, 0x0010_0000), (.userSetAttribute, 0x0020_0000),
            (.userAll, 0x003f_0000),
            (.groupView, 0x0000_0100), (.groupRead, 0x0000_0200), (.groupWrite, 0x0000_0400),
            (.groupSearch, 0x0000_0800), (.groupLink, 0x0000_1000), (.groupSetAttribute, 0x0000_2000),
            (.groupAll, 0x0000_3f00),
            (.otherView, 0x0000_0001), (.otherRead, 0x0000_0002), (.otherWrite, 0x0000_0004),
            (.otherSearch, 0x0000_0008), (.otherLink, 0x0000_0010), (.otherSetAttribute, 0x0000_0020),
            (.otherAll, 0x0000_003f),
        ] as [(KeyPermissions, UInt32)]
    )
    func bit(_ permissions: KeyPermissions, _ mask: UInt32) {
        #expect(permissions.rawValue == mask)
    }

    @Test(
        "a mask prints as eight hexadecimal digits",
        arguments: [
            ([.possessorAll, .userView], "3f010000"), ([], "00000000"), ([.otherView], "00000001"),
            (KeyPermissions(rawValue: .max), "ffffffff"),
        ] as [(KeyPermissions, String)]
    )
    func text(_ permissions: KeyPermissions, _ text: String) {
        #expect(permissions.description == text)
    }
}
