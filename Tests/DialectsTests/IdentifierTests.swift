// SPDX-License-Identifier: Apache-2.0

import Dialects
import Testing

@Suite struct IdentifierTests {
    @Test(arguments: ["msg_202834260001VfhYyVzg9Fbc3C", "msg_", "msg_1", "msg_of_a_client", "prt_1"])
    func `each message id that already sorts is kept`(_ id: String) {
        #expect(MessageIDs.openCode1(id) == id)
        #expect(MessageIDs.openCode2(id) == id)
    }

    @Test func `the message ids of a fork are padded so that they sort in order`() {
        let second = [
            "msg_202841dd0001t7Xw0XRvf1NZUW_4", "msg_202841dd0001t7Xw0XRvf1NZUW_7", "msg_202841dd0001t7Xw0XRvf1NZUW_12",
        ]
        let first = second.map(MessageIDs.openCode1)

        #expect(first == first.sorted())
        #expect(first[2] == "msg_202841dd0001t7Xw0XRvf1NZUW_0000000012")
        #expect(first.map(MessageIDs.openCode2) == second)
        #expect(first.map(MessageIDs.openCode1) == first)
        #expect(MessageIDs.openCode2("msg_a_0000000000") == "msg_a_0")
    }

    @Test func `the second id of a split message sorts directly after the first`() {
        let id = "msg_202841dd0001t7Xw0XRvf1NZUW_0000000007"
        let answer = MessageIDs.answer(to: id)

        #expect(id < answer)
        #expect(answer < "msg_202841dd0001t7Xw0XRvf1NZUW_0000000008")
        #expect(MessageIDs.openCode2(answer) == "msg_202841dd0001t7Xw0XRvf1NZUW_7")
    }

    @Test func `part ids are unique and sort in the order of their positions`() {
        let positions: [PartIDs.Position] = [
            .stepStart, .content(0), .content(1), .content(9), .content(300), .stepFinish, .patch,
        ]
        let ids = positions.map { PartIDs.make("msg_202834260001VfhYyVzg9Fbc3C", $0) }

        #expect(ids == ids.sorted())
        #expect(Set(ids).count == ids.count)
        #expect(ids[1] == "prt_202834260001VfhYyVzg9Fbc3C_000001")
    }

    @Test func `a question's id begins with que_ in OpenCode 1 and with frm_ in OpenCode 2`() {
        #expect(QuestionIDs.openCode1("frm_202836fcc001AgR0BGSwxenCCb") == "que_202836fcc001AgR0BGSwxenCCb")
        #expect(QuestionIDs.openCode2("que_202836fcc001AgR0BGSwxenCCb") == "frm_202836fcc001AgR0BGSwxenCCb")
    }

    @Test func `tool names are translated to OpenCode 1's names and back`() {
        #expect(
            ["shell", "subagent", "write", "mcp_thing"].map(Names.openCode1) == ["bash", "task", "write", "mcp_thing"])
        #expect(["bash", "task", "write"].map(Names.openCode2) == ["shell", "subagent", "write"])
    }
}
