// SPDX-License-Identifier: Apache-2.0

import Access
import Foundation
import Testing

@Suite struct KeyTableTests {
    private let table = KeyTable(keys: [
        (name: "default", secret: Array("correct-horse-battery".utf8)),
        (name: "phone", secret: Array("staple: with a colon".utf8)),
    ])

    private func judge(_ value: String) -> Authentication {
        AcceptedKeys(secrets: table).authenticate(Array(value.utf8).span)
    }
    private func basic(_ credentials: String) -> String { "Basic " + Data(credentials.utf8).base64EncodedString() }

    @Test(arguments: [
        "Bearer correct-horse-battery", "bearer correct-horse-battery", "BEARER   correct-horse-battery  ",
        "\tBearer\tcorrect-horse-battery",
    ])
    func `a Bearer key identifies its principal, regardless of the scheme's letter case and whitespace`(value: String) {
        #expect(judge(value) == .principal(Principal(name: "default")))
    }

    @Test func `every key of the table authenticates`() {
        #expect(judge("Bearer staple: with a colon") == .principal(Principal(name: "phone")))
    }

    @Test(arguments: ["vibe", "", "any one"])
    func `a Basic password is accepted as a key, regardless of the user name`(user: String) {
        #expect(judge(basic("\(user):correct-horse-battery")) == .principal(Principal(name: "default")))
        #expect(judge(basic("\(user):staple: with a colon")) == .principal(Principal(name: "phone")))
    }

    @Test(arguments: [
        "Bearer wrong", "Bearer correct-horse-batterx", "Bearer correct-horse-batter", "Bearer correct-horse-battery2",
        "Bearer CORRECT-HORSE-BATTERY", "Bearer correct-horse-battery correct-horse-battery", "Bearer \0",
    ])
    func `each unknown Bearer key is invalid`(value: String) {
        #expect(judge(value) == .invalid)
        #expect(judge(value).detail == "Invalid API key")
    }

    @Test func `an unknown Basic password is invalid`() {
        #expect(judge(basic("vibe:")) == .invalid)
        #expect(judge(basic("correct-horse-battery:x")) == .invalid)
    }

    @Test(arguments: [
        "", " ", "Bearer", "Bearer ", "Basic", "Digest username=x", "correct-horse-battery",
        "Bearercorrect-horse-battery",
        "Basic !!!!", "Basic dmliZQ==", "Basic " + String(repeating: "QUFB", count: 400),
    ])
    func `each malformed or unsupported Authorization value counts as missing`(value: String) {
        #expect(judge(value) == .missing)
        #expect(judge(value).detail == "Missing or invalid Authorization header")
    }

    @Test func `an empty table rejects every key`() {
        let value = Array("Bearer x".utf8)

        let found = AcceptedKeys(secrets: KeyTable(keys: [])).authenticate(value.span)

        #expect(found == .invalid)
    }

    @Test func `a key is known by its secret, regardless of its name in a newer table`() throws {
        guard case .principal(let phone) = judge("Bearer staple: with a colon") else {
            Issue.record("the key was not admitted")
            return
        }
        let moved = KeyTable(keys: [(name: "default", secret: Array("staple: with a colon".utf8))])
        let replaced = KeyTable(keys: [(name: "phone", secret: Array("another key of that name".utf8))])

        #expect(AcceptedKeys(secrets: table).rights(of: phone) == .everything)
        #expect(AcceptedKeys(secrets: moved).rights(of: phone) == .everything)
        #expect(AcceptedKeys(secrets: replaced).rights(of: phone) == nil)
        #expect(AcceptedKeys(secrets: KeyTable(keys: [])).rights(of: phone) == nil)
    }

    @Test func `a table reports whether a newer one lacks one of its keys`() {
        let fewer = KeyTable(keys: [(name: "default", secret: Array("staple: with a colon".utf8))])

        #expect(table.hasSecret(missingIn: fewer))
        #expect(!fewer.hasSecret(missingIn: table))
        #expect(!table.hasSecret(missingIn: table))
    }

    @Test func `an Authorization value is authenticated as a slice of a larger buffer`() {
        let head = Array("Authorization: Bearer correct-horse-battery\r\nX: y".utf8)

        let found = AcceptedKeys(secrets: table).authenticate(head.span.extracting(15..<43))

        #expect(found == .principal(Principal(name: "default")))
    }
}
