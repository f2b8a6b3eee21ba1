import OpenCode
import Testing

@Suite struct InstanceCredentialsTests {
    @Test func theHeaderIsTheRecordedOne() {
        // `password-right` of the recordings.
        let credentials = InstanceCredentials(password: "correct horse")
        #expect(credentials.authorizationHeader == "Basic b3BlbmNvZGU6Y29ycmVjdCBob3JzZQ==")
    }

    @Test func thePasswordIsNotInAnyPrintedForm() {
        let credentials = InstanceCredentials(password: "correct horse")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped, "\([credentials])"] {
            #expect(!text.contains("correct") && !text.contains("b3BlbmNvZGU6"), "\(text)")
        }
    }
}
