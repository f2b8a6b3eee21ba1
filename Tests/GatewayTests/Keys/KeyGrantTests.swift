// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that an administrator's key hands out only what it has.
@Suite(.onTestThreads) struct KeyGrantTests {
    private let gateway: GatewayUnderTest
    /// An administrator whose key expires in a day and is limited to 10 requests a second and to 5 streams.
    private let administrator: NamedKey

    init() throws {
        gateway = try GatewayUnderTest()
        administrator = try gateway.createKey(
            "administrator", #""allow":"admin","expires":"1d","rate":"10/s","streams":5"#)
    }

    private static let permitted = #""expires":"12h","rate":"10/s","streams":5"#

    @Test func `an administrator creates keys within its own limits`() throws {
        let response = try gateway.json("POST", "/-/keys", #"{"name":"a",\#(Self.permitted)}"#, key: administrator)

        #expect(response.status == 201)
        #expect(response.json["creator"]?.text == "administrator")
    }

    @Test(arguments: [
        (#""expires":"2d","rate":"10/s","streams":5"#, "expires"), (#""rate":"10/s","streams":5"#, "expires"),
        (#""expires":"12h","rate":"11/s","streams":5"#, "rate"), (#""expires":"12h","streams":5"#, "rate"),
        (#""expires":"12h","rate":"10/s","streams":6"#, "streams"), (#""expires":"12h","rate":"10/s""#, "streams"),
    ])
    func `a key that has more than the administrator is refused`(members: String, value: String) throws {
        let created = try gateway.json("POST", "/-/keys", #"{"name":"a",\#(members)}"#, key: administrator)

        #expect(created.status == 403)
        #expect(created.json["detail"]?.text?.contains("\"\(value)\"") == true)

        // A change to the same values, and a rotation that hands out the secret of such a key.
        let small = try gateway.json("POST", "/-/keys", #"{"name":"small",\#(Self.permitted)}"#, key: administrator)
        let id = try #require(small.json["id"]?.text)
        let missing = ["expires", "rate", "streams"].filter { !members.contains("\"\($0)\"") }.map { "\"\($0)\":null" }
        let change = try gateway.json(
            "PATCH", "/-/keys/\(id)", "{" + ([members] + missing).joined(separator: ",") + "}", key: administrator)
        let large = try gateway.createKey("large", members)

        #expect(change.status == 403)
        #expect(try gateway.request("POST", "/-/keys/\(large.id)/rotate", key: administrator).status == 403)
        // The refusals have changed nothing.
        #expect(try gateway.request("GET", "/projects", key: large).status == 200)
        #expect(try gateway.request("GET", "/-/keys/\(id)").json["streams"] == .integer(5))
    }

    @Test func `a key without the scope admin cannot manage keys`() throws {
        for scope in ["read", "answer", "write", "run"] {
            let key = try gateway.createKey(scope, #""allow":"\#(scope)""#)
            #expect(try gateway.request("GET", "/-/keys", key: key).status == 403)
            #expect(try gateway.json("POST", "/-/keys", #"{"name":"x"}"#, key: key).status == 403)
            #expect(try gateway.json("PATCH", "/-/keys/\(key.id)", #"{"allow":"admin"}"#, key: key).status == 403)
            #expect(try gateway.request("DELETE", "/-/keys/\(key.id)", key: key).status == 403)
            #expect(try gateway.request("POST", "/-/keys/\(key.id)/rotate", key: key).status == 403)
        }
    }
}
