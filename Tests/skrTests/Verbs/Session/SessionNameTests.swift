import Testing

@Suite("SKR_SESSION")
struct SessionNameTests {
    @Test("SKR_SESSION is set once, to the innermost session's name or its keyring's number")
    func value() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            skr session --name "skr-test-$$" -- bash -c 'echo $SKR_SESSION' | sed "s/$$/PID/"
            skr session -- bash -c '[[ $SKR_SESSION == $(keyctl rdescribe @s >/dev/null; keyctl id @s) ]] && echo number; env -0 | grep -zc ^SKR_SESSION='
            SKR_SESSION=outer skr session -- bash -c 'skr session --name "skr-test-$$" -- printenv SKR_SESSION | sed "s/$$/PID/"; env -0 | grep -zc ^SKR_SESSION=outer'
            """#)
        #expect(outcome.output == "skr-test-PID\nnumber\n1\nskr-test-PID\n0\n", "\(outcome)")
    }
}
