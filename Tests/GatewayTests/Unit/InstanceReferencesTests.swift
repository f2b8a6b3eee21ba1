// SPDX-License-Identifier: Apache-2.0

import Addresses
import HTTPTypes
import TestThreads
import Testing

@testable import Proxying

@Suite("References to the instance's own address", .onTestThreads)
struct InstanceReferencesTests {
    private func head(_ fields: KeyValuePairs<String, String>) -> RequestHead {
        let head = RequestHead()
        head.target = Array("/projects/demo/api/session/ses_1/message?limit=1".utf8)
        head.fields = FieldList(fields)
        return head
    }

    private func base(_ fields: KeyValuePairs<String, String>, trusted: Bool = false) -> String {
        String(
            decoding: ClientBase(
                head(fields), segment: Array("demo".utf8)[...], isTrusted: trusted
            ).text, as: UTF8.self)
    }

    @Test func `the client's base URL has the requested host and the project's path`() {
        #expect(base(["Host": "gateway.example.com:4000"]) == "http://gateway.example.com:4000/projects/demo/api")

        // Forwarding fields of an untrusted client are ignored.
        let reported: KeyValuePairs = [
            "Host": "a:4000", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example",
        ]

        #expect(base(reported) == "http://a:4000/projects/demo/api")
    }

    @Test func `a trusted proxy determines the scheme and host of the base URL`() {
        #expect(
            base(["Host": "a:4000", "X-Forwarded-Proto": "HTTPS", "X-Forwarded-Host": "b.example"], trusted: true)
                == "https://b.example/projects/demo/api")
        #expect(
            base(["Host": "b.example", "X-Forwarded-Proto": "https"], trusted: true).hasPrefix("https://b.example/"))
        // The first of several values is the host that the client requested.
        #expect(
            base(
                ["Host": "a", "X-Forwarded-Proto": "https, http", "X-Forwarded-Host": " b:8443 , c"], trusted: true)
                == "https://b:8443/projects/demo/api")
        // An invalid scheme or host is ignored.
        #expect(
            base(
                ["Host": "a", "X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "b/c"], trusted: true)
                == "http://a/projects/demo/api")
    }

    @Test func `the base is the path alone if the host is unknown`() {
        #expect(base([:]) == "/projects/demo/api")
        #expect(base(["Host": ""]) == "/projects/demo/api")
    }

    @Test func `the base keeps the spelling of the project's name`() {
        let base = ClientBase(head(["Host": "h"]), segment: Array("my%20app".utf8)[...], isTrusted: false)

        #expect(String(decoding: base.text, as: UTF8.self) == "http://h/projects/my%20app/api")
    }

    private func replaced(_ fields: KeyValuePairs<String, String>, ip: IPAddress = .loopback) -> [String] {
        let references = InstanceReferences(
            to: InstanceAddress(ip: ip, port: 4096),
            base: ClientBase(head(["Host": "h"]), segment: Array("demo".utf8)[...], isTrusted: false))
        return references.replaced(in: FieldList(fields)).lines
    }

    @Test func `only an instance's own address is replaced if the instance is on another host`() throws {
        let ip = try #require(IPAddress("fd00::7"))

        #expect(replaced(["Location": "http://[FD00::7]:4096/x"], ip: ip) == ["Location: http://h/projects/demo/api/x"])
        #expect(replaced(["Location": "http://127.0.0.1:4096/x"], ip: ip) == ["Location: http://127.0.0.1:4096/x"])
    }

    @Test func `the address in a pagination Link is replaced, as OpenCode 1.18 and 1.2.27 write it`() {
        let path = "/session/ses_e03ff19f9ffekCFC30SpMUdlw5/message?limit=1&before=eyJpZCI6Im1zZ18x"

        #expect(
            replaced(["X": "1", "link": "<http://127.0.0.1:4096\(path)>; rel=\"next\"", "Y": ""])
                == ["X: 1", "link: <http://h/projects/demo/api\(path)>; rel=\"next\"", "Y: "])
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:4096/a/b?c#d", "http://h/projects/demo/api/a/b?c#d"),
            ("HTTP://localhost:4096/", "http://h/projects/demo/api/"),
            ("http://[::1]:4096", "http://h/projects/demo/api"),
            ("http://127.0.0.1:4096?a", "http://h/projects/demo/api?a"),
        ])
    func `the instance's address is replaced in each spelling`(value: String, expected: String) {
        #expect(replaced(["Location": value]) == ["Location: \(expected)"])
        #expect(replaced(["Link": "<\(value)>"]) == ["Link: <\(expected)>"])
    }

    @Test(
        arguments: [
            "", "/session", "session", "https://example.com/x", "http://127.0.0.1:40961/x", "http://127.0.0.1:409/x",
            "http://127.0.0.1/x", "https://127.0.0.1:4096/x", "http://127.0.0.1:4096@evil.example/x",
            "http://127.0.0.1:4096.evil.example/", "http://evil.example/http://127.0.0.1:4096/", "//127.0.0.1:4096/x",
        ])
    func `an address other than the instance's is unchanged`(value: String) {
        #expect(replaced(["Location": value]) == ["Location: \(value)"])
        #expect(replaced(["Link": "<\(value)>; rel=next"]) == ["Link: <\(value)>; rel=next"])
    }

    @Test func `each target in a list of links is replaced, but no quoted text`() {
        let own = "http://127.0.0.1:4096/x"
        let value = #"<\#(own)>; title="<\#(own)>, \"<\#(own)>", </y>; anchor="\#(own)",<\#(own)?a>;rel=next, <\#(own)"#

        #expect(
            replaced(["Link": value]) == [
                #"Link: <http://h/projects/demo/api/x>; title="<\#(own)>, \"<\#(own)>", </y>; anchor="\#(own)","#
                    + #"<http://h/projects/demo/api/x?a>;rel=next, <\#(own)"#
            ])
    }

    @Test func `fields other than Link and Location are unchanged`() {
        let fields: KeyValuePairs = [
            "Content-Location": "http://127.0.0.1:4096/x", "X-Link": "<http://127.0.0.1:4096/x>",
        ]

        #expect(replaced(fields) == FieldList(fields).lines)
    }
}
