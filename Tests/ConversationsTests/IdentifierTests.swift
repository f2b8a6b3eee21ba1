// SPDX-License-Identifier: Apache-2.0

import Conversations
import Testing

@Suite struct ConversationIdentifierTests {
    /// The value was computed with Python's `uuid.uuid5` in the same namespace (RFC 9562 §5.5).
    @Test func `a session's conversation id is a name-based UUID in lower case`() {
        let id = ConversationID(session: "ses_e03ffb976ffeXfhPqbPL52pOM2")

        #expect(id.text == "43ee74e6-f517-5ea0-a671-bf9e0b57c30a")
    }

    @Test func `conversation ids are compared without regard to letter case and keep their spelling`() throws {
        let upper = try #require(ConversationID("43EE74E6-F517-5EA0-A671-BF9E0B57C30A"))

        #expect(upper == ConversationID(session: "ses_e03ffb976ffeXfhPqbPL52pOM2"))
        #expect(upper.text == "43EE74E6-F517-5EA0-A671-BF9E0B57C30A")
        #expect(Set([upper, ConversationID(session: "ses_e03ffb976ffeXfhPqbPL52pOM2")]).count == 1)
    }

    @Test(arguments: [
        "", "43ee74e6", "43ee74e6-f517-5ea0-a671-bf9e0b57c30", "43ee74e6-f517-5ea0-a671-bf9e0b57c30g",
        "43ee74e6+f517-5ea0-a671-bf9e0b57c30a", "{43ee74e6-f517-5ea0-a671-bf9e0b57c3}",
    ])
    func `each text that is not a UUID is rejected`(text: String) { #expect(ConversationID(text) == nil) }

    /// OpenCode 1.18.33 created `msg_1fc004692001Fzsr82lWr3UzGS` at 1795229238930, and the answer after this message.
    @Test func `a prompt's id sorts after earlier messages and before its answer`() {
        let id = PromptID.make(at: 1_795_229_238_930) { 61 }

        #expect(id == "msg_1fc004692000zzzzzzzzzzzzzz")
        #expect(id < "msg_1fc004692001Fzsr82lWr3UzGS")
        #expect(id > "msg_1fc004691fffzzzzzzzzzzzzzz")
    }
}
