// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests that events and objects of OpenCode 1 are parsed, and encoded unchanged.
@Suite struct OpenCode1Tests {
    static let turns: [(String, String)] = {
        Fixtures.firstVersions.flatMap { version in
            ((try? Fixtures.turnNames(version)) ?? []).map { (version, $0) }
        }
    }()

    @Test func `recorded turns exist for every version of OpenCode 1`() {
        #expect(Set(Self.turns.map(\.0)) == Set(Fixtures.firstVersions))
        #expect(Self.turns.count > 20)
    }

    @Test(arguments: turns)
    func `each recorded event is encoded as it was parsed`(_ version: String, _ name: String) throws {
        for line in try Fixtures.turn(version, name) {
            let json = try #require(JSONParser.parse(line))
            let event = try #require(Event(openCode1: json))
            var expected = json
            // Since 1.14, events also contain the id of their session.
            if version != "1.18.33", var properties = json["properties"]?.object, properties["sessionID"] == nil,
                let id = event.change.sessionID, case .object(var object) = json
            {
                properties["sessionID"] = .string(id)
                object["properties"] = .object(properties)
                expected = .object(object)
            }
            #expect(event.json()?.sorted == expected.sorted)
        }
    }

    @Test(arguments: turns)
    func `every event of a conversation has a known type and known members`(_ version: String, _ name: String) throws {
        let foreign = ["command.", "server.", "file.", "project.", "lsp.", "vcs.", "mcp."]

        for line in try Fixtures.turn(version, name) {
            let json = try #require(JSONParser.parse(line))
            let event = try #require(Event(openCode1: json))
            if case .other(let type, _) = event.change {
                #expect(foreign.contains { type.hasPrefix($0) }, "\(type)")
            }
            #expect(event.others.isEmpty)
            #expect(event.otherProperties.isEmpty, "\(JSON.object(event.otherProperties).shown)")
            if case .part(let part, _, _) = event.change {
                if case .other(let type) = part.kind { Issue.record("part \(type)") }
                #expect(part.others.isEmpty)
            }
            if case .message(.other(let object)) = event.change { Issue.record("\(JSON.object(object).shown)") }
        }
    }

    @Test(arguments: [
        "session-create", "session-create-no-body", "session-after-talk", "session-update", "session-fork",
        "session-of-other-directory",
    ])
    func `a session is encoded as it was parsed`(_ name: String) throws {
        let json = try #require(try Fixtures.answer("1.18.33", name))

        #expect(try #require(Session(openCode1: json)).json.sorted == json.sorted)
    }

    @Test(arguments: ["messages-after-talk", "message-list-limit"])
    func `a list of messages is encoded as it was parsed`(_ name: String) throws {
        let list = try #require(try Fixtures.answer("1.18.33", name)?.array)

        #expect(!list.isEmpty)

        for json in list { #expect(try #require(Message(openCode1: json)).json.sorted == json.sorted) }
    }

    @Test(arguments: ["message-blocking", "shell", "command"])
    func `a message is encoded as it was parsed`(_ name: String) throws {
        let json = try #require(try Fixtures.answer("1.18.33", name))
        let message = try #require(Message(openCode1: json))

        #expect(message.json.sorted == json.sorted)
        #expect(message.info.json["role"] == "assistant")
    }

    @Test func `pending permissions and questions are encoded as they were parsed`() throws {
        for json in try #require(try Fixtures.answer("1.18.33", "permissions-pending-tools")?.array) {
            #expect(try #require(Permission(openCode1: json)).json.sorted == json.sorted)
        }
        for json in try #require(try Fixtures.answer("1.18.33", "questions-pending")?.array) {
            #expect(try #require(Question(openCode1: json)).json.sorted == json.sorted)
        }
    }

    /// All kinds of parts in 1.18.33's document.
    @Test(arguments: [
        #""type":"text","text":"a","synthetic":true,"ignored":false,"time":{"start":1,"end":2},"metadata":{"x":1}"#,
        #"""
        "type":"subtask","prompt":"p","description":"d","agent":"a","model":{"providerID":"x","modelID":"y"},\#
        "command":"c"
        """#,
        #""type":"reasoning","text":"t","metadata":{"x":1},"time":{"start":1}"#,
        #""type":"file","mime":"text/plain","filename":"n","url":"data:,x","source":{"type":"file","path":"p"}"#,
        #"""
        "type":"tool","tool":"bash","callID":"c","state":{"status":"pending","input":{},"raw":"x"},"metadata":{\#
        "p":1}
        """#,
        #"""
        "type":"tool","tool":"bash","callID":"c","state":{"status":"running","input":{"a":1},"title":"t",\#
        "metadata":{},"time":{"start":1}}
        """#,
        #"""
        "type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{},"output":"o",\#
        "title":"t","metadata":{"m":1},"time":{"start":1,"end":2,"compacted":3},"attachments":[]}
        """#,
        #"""
        "type":"tool","tool":"bash","callID":"c","state":{"status":"error","input":{},"error":"e","metadata":{},\#
        "time":{"start":1,"end":2}}
        """#,
        #""type":"step-start","snapshot":"s""#, #""type":"step-start""#,
        #"""
        "type":"step-finish","reason":"stop","snapshot":"s","cost":0.25,"tokens":{"total":7,"input":1,\#
        "output":2,"reasoning":3,"cache":{"read":4,"write":5}}
        """#,
        #""type":"snapshot","snapshot":"s""#, #""type":"patch","hash":"h","files":["a","b"]"#,
        #""type":"agent","name":"n","source":{"value":"@n","start":0,"end":2}"#,
        #"""
        "type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"m","isRetryable":true}},\#
        "time":{"created":1}
        """#,
        #""type":"compaction","auto":true,"overflow":false,"tail_start_id":"msg_1""#,
        #""type":"tomorrow","what":"ever""#, #""type":"text","text":"half \ud83d""#,
    ])
    func `each type of part is encoded as it was parsed`(_ members: String) throws {
        let text = #"{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1",\#(members)}"#
        let json = try #require(JSONParser.parse(Array(text.utf8)))
        let part = try #require(Part(openCode1: json))

        #expect(part.json.sorted == json.sorted)

        if case .other = part.kind { #expect(text.contains("tomorrow") || text.contains("ud83d")) }
    }

    @Test(arguments: [
        #"{"type":"tomorrow.came","properties":{"sessionID":"ses_1","x":[1,2]},"more":1}"#,
        #"{"id":"evt_1","type":"session.idle","properties":{"sessionID":"ses_1","new":true}}"#,
        #"""
        {"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"retry","attempt":1,\#
        "message":"m","next":5,"action":{"reason":"r"}}}}
        """#,
        #"{"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"napping"}}}"#,
        #"{"type":"session.idle","properties":7}"#,
        #"{"type":"message.part.updated","properties":{"part":"none"}}"#,
        #"{"type":"session.created","properties":{"sessionID":"ses_2","info":{"id":"ses_1"}}}"#,
    ])
    func `each unknown event or member is preserved`(_ text: String) throws {
        let json = try #require(JSONParser.parse(Array(text.utf8)))

        #expect(try #require(Event(openCode1: json)).json()?.sorted == json.sorted)
    }

    @Test func `permission events of the earliest OpenCode 1 versions are parsed and encoded`() throws {
        let text = #"""
            {"type":"permission.updated","properties":{"id":"per_1","type":"bash","pattern":["ls"],"sessionID":"ses_1",
            "messageID":"msg_1","callID":"call_1","title":"ls","metadata":{},"time":{"created":5}}}
            """#
        let json = try #require(JSONParser.parse(Array(text.utf8)))
        let event = try #require(Event(openCode1: json))

        #expect(event.json(.first)?.sorted == json.sorted)
        #expect(event.json()?["type"] == "permission.asked")
        #expect(event.json()?["properties"]?["permission"] == "bash")

        let replied = Event(id: nil, .permissionReplied(sessionID: "ses_1", id: "per_1", reply: "once"))

        #expect(
            replied.json(.first)?["properties"] == ["sessionID": "ses_1", "permissionID": "per_1", "response": "once"])
    }
}
