import Foundation
import Glibc
import TestKit
import Testing

/// Clients that go before their messages were sent.
@Suite struct LeavingChatTests {
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"

    /// Both are sent though nobody waits for their answers.
    @Test func messagesAreSentThoughTheirSocketClosesWhileTheProjectStarts() throws {
        let rig = try TwinRig(environment: ["TWIN_PROFILE": "1.18.33"])
        let chat = try ChatDialogue(rig.gateway.port)
        try chat.hear()
        for text in ["talk", "talk again"] {
            try chat.say("user_message", ["conversationId": Self.id, "content": text])
        }
        chat.close()
        let deadline = Deadline(after: TwinRig.patience)
        var said: [String] = []
        while said.count < 2, !deadline.hasPassed {
            // Whom it waits for needs the processor.
            usleep(50_000)
            let page = try rig.gateway.request("GET", "/conversations/\(Self.id)/messages", within: TwinRig.patience)
            let json = try JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any]
            let items = json?["items"] as? [[String: Any]] ?? []
            said = items.filter { $0["role"] as? String == "user" }.compactMap { $0["text"] as? String }
        }
        #expect(said == ["talk", "talk again"])
    }
}
