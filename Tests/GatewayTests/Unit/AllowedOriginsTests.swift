// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import TestThreads
import Testing

@testable import GatewayCore
@testable import GatewayServer

@Suite("Web pages that may read responses (Fetch standard, CORS protocol)", .onTestThreads)
struct AllowedOriginsTests {
    private let origins = AllowedOrigins(["https://app.example.com", "http://localhost:3000"])

    @Test(
        arguments: ["https://app.example.com", "http://localhost:3000"])
    func `a page of each allowed origin may read the response, which names only this origin`(origin: String) throws {
        let terms = try #require(origins.terms(for: FieldList(["Host": "h", "Origin": origin])))

        #expect(terms.isGranted)
        #expect(
            terms.fields.lines == [
                "Access-Control-Allow-Origin: \(origin)", "Access-Control-Allow-Credentials: true",
                "Access-Control-Expose-Headers: Allow, ETag, Location, Retry-After, X-Request-Id", "Vary: Origin",
            ])
    }

    @Test(
        arguments: [
            "https://app.example.com:443", "https://APP.example.com", "https://app.example.com/",
            "http://app.example.com",
            "https://evil.example", "https://app.example.com.evil.example", "https://xapp.example.com", "null", "*", "",
            "https://app.example.com http://localhost:3000", "http://localhost", "http://localhost:30000",
        ])
    func `an origin that does not match byte for byte is not granted`(origin: String) throws {
        let terms = try #require(origins.terms(for: FieldList(["Origin": origin])))

        #expect(!terms.isGranted)
        #expect(terms.fields.lines == ["Vary: Origin"])
    }

    @Test func `without exactly one Origin field, the response has only Vary: Origin`() throws {
        for fields: KeyValuePairs in [[:], ["Origin": "https://app.example.com", "Origin": "https://app.example.com"]] {
            #expect(try #require(origins.terms(for: FieldList(fields))).fields.lines == ["Vary: Origin"])
        }
    }

    @Test func `no field is added if no origin is allowed`() {
        #expect(AllowedOrigins.none.terms(for: FieldList(["Origin": "https://app.example.com"])) == nil)
    }

    // MARK: Preflights

    private static let preflightFields: KeyValuePairs = [
        "Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
    ]

    private func preflight(_ fields: KeyValuePairs<String, String>, _ method: Method = .options) -> Preflight? {
        let head = RequestHead()
        head.method = method
        head.fields = FieldList(fields)
        return Preflight(head)
    }

    @Test func `only OPTIONS with Origin and Access-Control-Request-Method is a preflight`() {
        #expect(preflight(Self.preflightFields) != nil)
        #expect(preflight(["Origin": "https://app.example.com"]) == nil)
        #expect(preflight(["Access-Control-Request-Method": "POST"]) == nil)
        #expect(preflight([:]) == nil)

        for method in Method.allCases where method != .options {
            #expect(preflight(Self.preflightFields, method) == nil)
        }
    }

    @Test(arguments: EndpointTable.gateway.endpoints.map(\.path.template))
    func `the preflight of each path allows the path's own methods`(template: String) throws {
        let head = RequestHead()
        head.target = Array(template.replacing("{name}", with: "demo").utf8)
        let allow = try #require(EndpointTable.gateway.allow(head))
        let terms = origins.terms(for: FieldList(Self.preflightFields))
        let answer = try #require(try preflight(Self.preflightFields)?.answer(allow, terms))

        #expect(answer.head.status == 204)
        #expect(answer.body.isEmpty)
        #expect(
            answer.head.fields.lines == [
                "Access-Control-Allow-Methods: \(allow)", "Access-Control-Max-Age: 7200",
                "Vary: Access-Control-Request-Method, Access-Control-Request-Headers",
            ])
    }

    @Test(
        arguments: [
            ("authorization,content-type", true), ("X-Opencode-Directory, authorization", true), ("*", true),
            ("", false),
            ("a b", false), ("authorization, \"x\"", false), ("a:b", false), ("caf\u{e9}", false),
        ])
    func `a preflight allows all requested fields if they are valid names`(names: String, areAllowed: Bool) throws {
        let fields: KeyValuePairs = [
            "Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": names,
        ]
        let answer = try #require(try preflight(fields)?.answer("GET, POST", origins.terms(for: FieldList(fields))))
        let expected = areAllowed ? ["Access-Control-Allow-Headers: \(names)"] : []

        #expect(answer.head.fields.lines.filter { $0.hasPrefix("Access-Control-Allow-Headers") } == expected)
    }

    @Test func `a preflight of another origin receives 403, and one for an unknown path 404`() throws {
        let foreign: KeyValuePairs = ["Origin": "https://evil.example", "Access-Control-Request-Method": "GET"]
        let foreignPreflight = try #require(preflight(foreign))
        for terms in [origins.terms(for: FieldList(foreign)), nil] {
            let error = #expect(throws: GatewayError.self) { try foreignPreflight.answer("GET, HEAD", terms) }
            #expect(error?.status == 403)
            #expect(error?.fields.lines == [])
        }

        let unknown = #expect(throws: GatewayError.self) {
            try foreignPreflight.answer(nil, origins.terms(for: FieldList(Self.preflightFields)))
        }

        #expect(unknown?.status == 404)
    }
}
