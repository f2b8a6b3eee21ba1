// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct InstanceCredentialsTests {
    @Test func `the Authorization field matches the recorded one`() {
        // The password of the recording `password-right`.
        let credentials = InstanceCredentials(password: "correct horse")
        for family in [nil, APIFamily.one, .two] {
            #expect(credentials.authorization(for: family) == "Basic b3BlbmNvZGU6Y29ycmVjdCBob3JzZQ==")
        }
    }

    @Test func `OpenCode 2 always receives the user name opencode`() {
        let credentials = InstanceCredentials(username: "gate", password: "correct horse")
        let asOne = "Basic Z2F0ZTpjb3JyZWN0IGhvcnNl"

        #expect(credentials.authorization(for: .one) == asOne)
        #expect(credentials.authorization(for: nil) == asOne)
        #expect(credentials.authorization(for: .two) == "Basic b3BlbmNvZGU6Y29ycmVjdCBob3JzZQ==")
    }

    @Test func `a password for OpenCode 2 is not sent to an instance that may be OpenCode 1`() {
        let credentials = InstanceCredentials(password: "correct horse", isForTwoOnly: true)

        #expect(credentials.authorization(for: .one) == nil)
        #expect(credentials.authorization(for: nil) == nil)
        #expect(credentials.authorization(for: .two) == "Basic b3BlbmNvZGU6Y29ycmVjdCBob3JzZQ==")
    }

    @Test func `no printed form of the credentials contains the password`() {
        let credentials = InstanceCredentials(password: "correct horse")
        var dumped = ""
        dump(credentials, to: &dumped)

        for text in ["\(credentials)", String(reflecting: credentials), dumped, "\([credentials])"] {
            #expect(!text.contains("correct"), "\(text)")
            #expect(!text.contains("b3BlbmNvZGU6"), "\(text)")
        }
    }
}
