// SPDX-License-Identifier: Apache-2.0

import Access
import JSONText
import Keys
import OpenCodeFamilies
import Testing

@Suite struct KeyJSONTests {
    private func refusal<Value>(_ body: () throws(KeyRefusal) -> Value) -> KeyRefusal? {
        do throws(KeyRefusal) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    private func draftRefusal(_ body: String) -> KeyRefusal? {
        refusal { () throws(KeyRefusal) in try KeyJSON.draft(Array(body.utf8)) }
    }

    @Test func `a body with all members becomes a draft`() throws {
        let body = #"""
            {"name":"phone","projects":["a","b"],"allow":"answer","expires":"90d","rate":"20/s","streams":5,
             "identity":"me@example.com","note":"old"}
            """#
        let draft = KeyDraft(
            name: "phone", projects: ["a", "b"], scope: .answer, lifetime: .seconds(90 * 86_400),
            limits: KeyLimits(rate: KeyRate("20/s"), streams: 5), identity: "me@example.com", note: "old")

        #expect(try KeyJSON.draft(Array(body.utf8)) == draft)
    }

    @Test(arguments: [
        #"{"name":"phone"}"#,
        #"{"name":"phone","projects":null,"expires":null,"rate":null,"streams":null,"note":null}"#,
        #"{"name":"phone","identity":null}"#,
    ])
    func `omitted values and null mean the same in a draft`(body: String) throws {
        #expect(try KeyJSON.draft(Array(body.utf8)) == KeyDraft(name: "phone"))
    }

    @Test func `a patch distinguishes omitted values from null`() throws {
        let patch = try KeyJSON.patch(Array(#"{"projects":null,"expires":"12h"}"#.utf8))
        var expected = KeyPatch()
        expected.projects = .some(nil)
        expected.lifetime = .some(.seconds(12 * 3_600))

        #expect(patch == expected)
        #expect(try KeyJSON.patch(Array("{}".utf8)) == KeyPatch())
    }

    @Test(arguments: ["", "[]", "{", #""name""#, "null", "{\"name\":\"\u{FFFD}\""])
    func `a body that is not an object is refused`(body: String) {
        #expect(draftRefusal(body) == .notAnObject)
    }

    @Test(arguments: ["project", "Projects", "admin", "id"])
    func `a body with an unknown member is refused, because it may be a misspelt restriction`(name: String) {
        let refusal = draftRefusal(#"{"name":"phone","\#(name)":["a"]}"#)

        #expect(refusal?.status == 400)
        #expect(refusal?.description.contains("unknown member \"\(name)\"") == true)
    }

    @Test func `a body with a repeated member is refused`() {
        #expect(draftRefusal(#"{"name":"phone","allow":"read","allow":"admin"}"#) == .repeatedMember("allow"))
    }

    @Test(
        arguments: [
            (#"{"name":null}"#, .name), (#"{"name":7}"#, .name), (#"{"name":"a","allow":null}"#, .allow),
            (#"{"name":"a","projects":"b"}"#, .projects),
            (#"{"name":"a","projects":[1]}"#, .projects), (#"{"name":"a","allow":"all"}"#, .allow),
            (#"{"name":"a","expires":90}"#, .expires), (#"{"name":"a","expires":"2027-01-31T12:00:00Z"}"#, .expires),
            (#"{"name":"a","expires":"soon"}"#, .expires), (#"{"name":"a","rate":20}"#, .rate),
            (#"{"name":"a","rate":"20"}"#, .rate), (#"{"name":"a","streams":"5"}"#, .streams),
            (#"{"name":"a","streams":1.5}"#, .streams), (#"{"name":"a","identity":{}}"#, .identity),
            (#"{"name":"a","note":[]}"#, .note),
        ] as [(String, KeyRefusal.Value)])
    func `a value of another type is refused by its name`(body: String, value: KeyRefusal.Value) {
        guard case .invalid(value, _) = draftRefusal(body) else {
            Issue.record("\(String(describing: draftRefusal(body)))")
            return
        }
    }

    @Test func `a key without a name is refused`() {
        #expect(draftRefusal("{}") == .missingName)
    }

    @Test func `the scope cannot be removed`() {
        let refusal = refusal { () throws(KeyRefusal) in try KeyJSON.patch(Array(#"{"allow":null}"#.utf8)) }

        #expect(refusal?.status == 400)
    }

    @Test func `the word none exempts a key from a limit`() throws {
        let draft = try KeyJSON.draft(Array(#"{"name":"ci","rate":"none","streams":"none"}"#.utf8))

        #expect(draft.limits == KeyLimits(exempt: [.rate, .streams]))

        let patch = try KeyJSON.patch(Array(#"{"rate":"none","streams":5}"#.utf8))

        #expect(patch.exempt == .rate)
        #expect(patch.rate == .some(nil))
        #expect(patch.streams == 5)
    }

    @Test func `a key without limits is written with the word none`() throws {
        let key = Key(
            id: try #require(KeyID("AAAAAAAAAA")), name: "ci", rights: KeyRights(.read),
            limits: KeyLimits(exempt: [.rate, .streams]), created: 0, creator: "default", secrets: [])
        var text: [UInt8] = []
        text.append(json: key.json)

        #expect(String(decoding: text, as: UTF8.self).contains(#""rate":"none","streams":"none""#))
    }

    @Test(
        arguments: [("", nil), ("{}", nil), (#"{"keep_old":null}"#, nil), (#"{"keep_old":"1d"}"#, .seconds(86_400))]
            as [(String, Duration?)])
    func `the body of a rotation may be empty`(body: String, time: Duration?) throws {
        #expect(try KeyJSON.keepOld(Array(body.utf8)) == time)
    }

    @Test(arguments: ["[]", #"{"keepOld":"1d"}"#, #"{"keep_old":1}"#, #"{"keep_old":"1d","keep_old":"2d"}"#])
    func `an invalid body of a rotation is refused`(body: String) {
        #expect(refusal { () throws(KeyRefusal) in try KeyJSON.keepOld(Array(body.utf8)) }?.status == 400)
    }

    @Test func `a key is written without its secrets`() throws {
        let id = try #require(KeyID("AAAAAAAAAA"))
        let key = Key(
            id: id, name: "phone \"1\"", kind: .device, rights: KeyRights(.answer, projects: ["b", "a"]),
            expires: 1_000,
            limits: KeyLimits(rate: KeyRate("20/s"), streams: 5), identity: "me@example.com", note: nil, created: 0,
            creator: "default",
            secrets: [
                KeyIndex.Secret(hash: [1, 2, 3], generation: 1),
                KeyIndex.Secret(hash: [4, 5, 6], generation: 0, until: 86_400_000),
            ], use: Key.Use(time: 2_000, address: "192.0.2.1", client: nil))
        var text: [UInt8] = []
        text.append(json: key.json)

        #expect(
            String(decoding: text, as: UTF8.self) == #"{"id":"AAAAAAAAAA","name":"phone \"1\"","kind":"device","#
                + #""projects":["a","b"],"allow":"answer","expires":"1970-01-01T00:00:01Z","rate":"20/s","streams":5,"#
                + #""identity":"me@example.com","note":null,"created":"1970-01-01T00:00:00Z","creator":"default","#
                + #""last_used":"1970-01-01T00:00:02Z","address":"192.0.2.1","client":null,"#
                + #""old_until":"1970-01-02T00:00:00Z"}"#)
    }
}
