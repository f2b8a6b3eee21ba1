// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the endpoints below `/-/keys`.
@Suite(.onTestThreads) struct KeyEndpointTests {
    @Test func `a key is created, used, listed, changed and revoked`() throws {
        let gateway = try GatewayUnderTest()
        let created = try gateway.json(
            "POST", "/-/keys", #"{"name":"phone","allow":"read","expires":"90d","note":"Anna's"}"#)
        let token = try #require(created.json["key"]?.text)
        let id = try #require(created.json["id"]?.text)
        let key = NamedKey(id: id, token: token)

        #expect(created.status == 201)
        #expect(created.value(of: "cache-control") == "no-store")
        #expect(created.value(of: "location") == "/-/keys/\(id)")
        #expect(token.hasPrefix("vr_\(id)_"))
        #expect(token.utf8.allSatisfy { $0 == 0x5F || $0.isASCIIAlphanumeric })

        #expect(try gateway.request("GET", "/projects", key: key).status == 200)

        let list = try gateway.request("GET", "/-/keys")
        let entry = try #require(list.json["keys"]?.elements?.first)

        #expect(list.value(of: "cache-control") == "no-store")
        #expect(!list.text.contains(token))
        #expect(entry["name"]?.text == "phone")
        #expect(entry["kind"]?.text == "key")
        #expect(entry["allow"]?.text == "read")
        #expect(entry["note"]?.text == "Anna's")
        #expect(entry["address"]?.text == "127.0.0.1")
        #expect(entry["last_used"]?.text?.isEmpty == false)

        let changed = try gateway.json("PATCH", "/-/keys/\(id)", #"{"name":"tablet","expires":null}"#)

        #expect(changed.status == 200)
        #expect(changed.json["name"]?.text == "tablet")
        #expect(changed.text.contains(#""expires":null"#))

        let revoked = try gateway.request("DELETE", "/-/keys/\(id)")

        #expect(revoked.status == 204)
        #expect(try gateway.request("GET", "/projects", key: key).text == #"{"detail":"Invalid API key"}"#)
        #expect(try gateway.request("GET", "/-/keys/\(id)").status == 404)
    }

    @Test func `a change is complete on all loops when its response arrives`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_THREADS": "4", "VIBE_FAILED_TRIES": "0"])
        for number in 1...10 {
            let key = try gateway.createKey("key \(number)")
            // The kernel distributes new connections over the loops.
            for _ in 1...8 { #expect(try gateway.request("GET", "/projects", key: key).status == 200) }

            #expect(try gateway.request("DELETE", "/-/keys/\(key.id)").status == 204)

            for _ in 1...8 { #expect(try gateway.request("GET", "/projects", key: key).status == 401) }
        }
    }

    @Test func `a refusal says what the key lacks`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "{}") }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let reader = try gateway.createKey("reader", #""allow":"read""#)
        let writer = try gateway.createKey("writer")
        let cases = [
            (
                reader, "POST", "/projects/demo/api/session",
                #"This key may read demo but not change it: it needs "write"."#
            ),
            (reader, "POST", "/projects/demo/start", #"This key may read demo but not change it: it needs "write"."#),
            (
                writer, "DELETE", "/projects/demo/stop",
                #"This key may work in demo but not control it: it needs "run"."#
            ),
            (writer, "GET", "/-/keys", #"This key may work in projects but not manage the gateway: it needs "admin"."#),
        ]
        for (key, method, target, detail) in cases {
            let response = try gateway.request(method, target, key: key)
            #expect(response.status == 403)
            #expect(response.json["detail"]?.text == detail)
        }

        #expect(try gateway.request("GET", "/projects/demo/api/session", key: reader).status == 200)
    }

    @Test func `a mistyped key is told from a wrong one`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey()
        var digits = Array(key.token)
        digits[20] = digits[20] == "a" ? "b" : "a"
        let mistyped = NamedKey(id: key.id, token: String(digits))
        let cut = NamedKey(id: key.id, token: String(key.token.dropLast()))

        for wrong in [mistyped, cut] {
            #expect(
                try gateway.request("GET", "/projects", key: wrong).text == #"{"detail":"This key is mistyped."}"#)
        }
    }

    @Test(arguments: [
        ("{", 400), ("[]", 400), ("{}", 400), (#"{"name":""}"#, 400), (#"{"name":"a","nmae":"b"}"#, 400),
        (#"{"name":"a","name":"b"}"#, 400), (#"{"name":"a","allow":"all"}"#, 400), (#"{"name":"a","allow":null}"#, 400),
        (#"{"name":"a","expires":"tomorrow"}"#, 400), (#"{"name":"a","expires":90}"#, 400),
        (#"{"name":"a","expires":"90"}"#, 400),
        (#"{"name":"a","projects":[]}"#, 400), (#"{"name":"a","streams":0}"#, 400), (#"{"name":"a\nb"}"#, 400),
        (#"{"name":"taken"}"#, 409),
    ])
    func `an invalid body creates nothing`(body: String, status: Int) throws {
        let gateway = try GatewayUnderTest()
        _ = try gateway.createKey("taken")
        let response = try gateway.json("POST", "/-/keys", body)

        #expect(response.status == status)
        #expect(response.json["detail"]?.text?.isEmpty == false)
        #expect(try gateway.request("GET", "/-/keys").json["keys"]?.elements?.count == 1)
    }

    @Test func `a body must be JSON of a limited size`() throws {
        let gateway = try GatewayUnderTest()
        let text = try gateway.request("POST", "/-/keys", headers: [("Content-Type", "text/plain")], body: [0x7B])
        let large = try gateway.json("POST", "/-/keys", #"{"name":"\#(String(repeating: "a", count: 70_000))"}"#)

        #expect(text.status == 415)
        #expect(large.status == 413)
        #expect(try gateway.request("POST", "/-/keys").status == 415)
    }

    @Test func `a rotated key works at once, and the previous one as long as requested`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_KEY_RATE": "none"])
        let first = try gateway.createKey()
        let rotated = try gateway.request("POST", "/-/keys/\(first.id)/rotate")
        let second = NamedKey(id: first.id, token: try #require(rotated.json["key"]?.text))

        #expect(rotated.status == 200)
        #expect(rotated.value(of: "cache-control") == "no-store")
        #expect(try gateway.request("GET", "/projects", key: first).status == 401)
        #expect(try gateway.request("GET", "/projects", key: second).status == 200)

        let kept = try gateway.json("POST", "/-/keys/\(first.id)/rotate", #"{"keep_old":"2s"}"#)
        let third = NamedKey(id: first.id, token: try #require(kept.json["key"]?.text))

        #expect(try gateway.request("GET", "/projects", key: second).status == 200)
        #expect(try gateway.request("GET", "/projects", key: third).status == 200)
        #expect(kept.json["old_until"]?.text?.isEmpty == false)

        let deadline = Deadline(after: .seconds(10))
        // A request that is in progress when the previous key ends is aborted.
        while (try? gateway.request("GET", "/projects", key: second).status) != 401 {
            guard deadline.remaining > .zero else { throw TestFailure("the previous key does not end") }
        }

        #expect(try gateway.request("GET", "/projects", key: third).status == 200)
    }

    @Test func `a key can rotate and revoke itself and receives the response`() throws {
        let gateway = try GatewayUnderTest()
        let first = try gateway.createKey("admin", #""allow":"admin""#)
        let rotated = try gateway.request("POST", "/-/keys/\(first.id)/rotate", key: first)
        let second = NamedKey(id: first.id, token: try #require(rotated.json["key"]?.text))

        #expect(try gateway.request("GET", "/-/keys", key: first).status == 401)
        #expect(try gateway.request("DELETE", "/-/keys/\(first.id)", key: second).status == 204)
        #expect(try gateway.request("GET", "/-/keys", key: second).status == 401)
    }

    @Test func `an expired key is refused with the reason`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_KEY_RATE": "none"])
        let key = try gateway.createKey("guest", #""expires":"1s""#)
        let deadline = Deadline(after: .seconds(10))
        // A request that is in progress when the key expires is aborted.
        while (try? gateway.request("GET", "/projects", key: key).status) != 401 {
            guard deadline.remaining > .zero else { throw TestFailure("the key does not expire") }
        }
        let response = try gateway.request("GET", "/projects", key: key)

        #expect(response.status == 401)
        #expect(
            response.json["detail"]?.text == "This key has expired. Ask the administrator for a new key.")
        #expect(response.value(of: "www-authenticate") == "Bearer")

        // A new secret would open nothing.
        let rotated = try gateway.json("POST", "/-/keys/\(key.id)/rotate", #"{"keep_old":"1d"}"#)

        #expect(rotated.status == 409)
        #expect(
            rotated.json["detail"]?.text
                == "The key guest has expired. Create a new key, or first change when this key expires.")
    }

    @Test func `a key that was printed opens after the gateway was killed`() throws {
        var gateway = try GatewayUnderTest()
        var keys: [NamedKey] = []
        for number in 1...20 {
            keys.append(try gateway.createKey("key \(number)"))
            gateway.process.terminate(SIGKILL)
            _ = try gateway.process.waitForExit(within: .seconds(20))
            gateway = try GatewayUnderTest(after: gateway)
            for key in keys { #expect(try gateway.request("GET", "/projects", key: key).status == 200) }
        }
    }

    @Test func `without a usable database the reason is stated`() throws {
        let first = try GatewayUnderTest()
        let state = first.stateFolder
        let second = try GatewayUnderTest(environment: ["VIBE_STATE_DIR": state])
        let response = try second.json("POST", "/-/keys", #"{"name":"phone"}"#)

        #expect(response.status == 503)
        #expect(
            response.json["detail"]?.text?.hasPrefix(
                "The named keys are not available: Another gateway (process \(first.process.pid)) uses ") == true)
        #expect(try second.request("GET", "/projects").status == 200)

        // A named key may be valid, so it does not count as a wrong key.
        let key = try first.createKey()
        for _ in 1...12 { #expect(try second.request("GET", "/projects", key: key).status == 503) }
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
