// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import JSONText
import Settings
import TestThreads
import Testing

@testable import APIDescription
@testable import GatewayCore
@testable import GatewayServer

@Suite("The API's description and its page", .onTestThreads)
struct DescriptionTests {
    private static func document() throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json(.gateway).bytes))
        return try #require(json as? [String: Any])
    }

    private static let templates = EndpointTable.gateway.endpoints.map(\.path.template)

    private static func operations(of template: String) throws -> [String: [String: Any]] {
        let paths = try #require(try document()["paths"] as? [String: [String: Any]])
        let path = try #require(paths[template])
        return path.filter { $0.key != "parameters" }.compactMapValues { $0 as? [String: Any] }
    }

    /// Returns every `$ref` in a value, at any depth.
    private static func references(in value: Any) -> [String] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { $0.key == "$ref" ? [$0.value as? String ?? ""] : references(in: $0.value) }
        case let array as [Any]: array.flatMap(references)
        default: []
        }
    }

    @Test func `the description is OpenAPI 3.1 with a title and defines exactly the referenced schemas`() throws {
        let document = try Self.document()

        #expect(document["openapi"] as? String == "3.1.0")
        #expect((document["info"] as? [String: Any])?["title"] as? String == "VibeRemote gateway")
        #expect((document["info"] as? [String: Any])?["version"] as? String == GatewayVersion.number)

        let components = try #require(document["components"] as? [String: [String: Any]])
        let schemas = try #require(components["schemas"]).keys.map { "#/components/schemas/\($0)" }

        #expect(Set(Self.references(in: document)) == Set(schemas))
        #expect(Set(try #require(components["securitySchemes"]).keys) == ["bearer", "basic"])
    }

    @Test(arguments: templates)
    func `each path is described with the methods that Allow lists`(template: String) throws {
        let head = RequestHead()
        head.target = Array(template.replacing("{name}", with: "demo").replacing("{path}", with: "a/b").utf8)
        let described = try Self.operations(of: template).keys.map { $0.uppercased() }
        let served = try #require(EndpointTable.gateway.allow(head)).components(separatedBy: ", ")
        // The description omits HEAD where it has GET.
        let isInstance = EndpointTable.gateway.endpoints.contains {
            $0.path.template == template && $0.handler.isInstance
        }

        #expect(Set(described) == Set(isInstance ? served : served.filter { $0 != "HEAD" }))
    }

    @Test func `the description has exactly the paths of the endpoints`() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: Any])

        #expect(Set(paths.keys) == Set(Self.templates))
    }

    @Test(arguments: templates)
    func `each operation that needs a key describes its schemes and the statuses 401 and 429`(template: String) throws {
        let isOpen = ["/health", "/openapi.json", "/docs"].contains(template)

        for (_, operation) in try Self.operations(of: template) {
            let security = try #require(operation["security"] as? [[String: Any]])
            #expect(security.flatMap(\.keys) == (isOpen ? [] : ["bearer", "basic"]))
            let responses = try #require(operation["responses"] as? [String: [String: Any]])
            #expect((responses["401"] != nil) == !isOpen)
            #expect((responses["429"] != nil) == !isOpen)
            // Refusals that do not depend on the path.
            for status in ["400", "408", "413", "431"] { #expect(responses[status] != nil, "\(status)") }
            #expect(responses["200"] != nil || responses["default"] != nil)
            #expect(responses.values.allSatisfy { ($0["description"] as? String)?.isEmpty == false })
        }
    }

    @Test(arguments: templates)
    func `each operation describes 413 with the limits that apply`(template: String) throws {
        for (_, operation) in try Self.operations(of: template) {
            let responses = try #require(operation["responses"] as? [String: [String: Any]])
            let text = try #require(responses["413"]?["description"] as? String)
            #expect(text.contains("Content-Length is 2^63 or more"), "\(text)")
            #expect(text.contains("beyond 64 bits"), "\(text)")
            #expect(text.contains("larger than 32 MiB") == (template == "/projects/{name}/api/{path}"), "\(text)")
        }
    }

    @Test func `each operation has a unique operationId`() throws {
        let names = try Self.templates.flatMap { try Self.operations(of: $0).values }.compactMap {
            $0["operationId"] as? String
        }

        #expect(names.count == Set(names).count)
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z][A-Za-z]+/) != nil })
    }

    @Test(arguments: templates)
    func `each variable part of a path is a required path parameter`(template: String) throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        let parameters = paths[template]?["parameters"] as? [[String: Any]] ?? []
        let names = template.matches(of: /\{(\w+)\}/).map { String($0.1) }

        #expect(parameters.compactMap { $0["name"] as? String } == names)
        #expect(parameters.allSatisfy { $0["in"] as? String == "path" && $0["required"] as? Bool == true })
    }

    // MARK: The page

    private static let page = String(decoding: DocumentationPage.html(.gateway), as: UTF8.self)

    @Test func `the page lists each path and loads no external resources`() {
        for template in Self.templates { #expect(Self.page.contains("<code>\(template)</code>")) }
        for text in ["http://", "https://", "src=", "url(", "@import", "\"//", "<iframe", "<object", "onclick"] {
            #expect(!Self.page.contains(text), "\(text)")
        }
        for end in ["?.", "!.", ".."] { #expect(!Self.page.contains("\(end)</strong>")) }

        #expect(Self.page.contains("<strong>Check that the gateway is running.</strong>"))
        #expect(Self.page.matches(of: /href="([^"]*)"/).map { String($0.1) } == ["data:,", "/openapi.json"])
        #expect(Self.page.contains(#"<meta name="viewport" content="width=device-width, initial-scale=1">"#))
    }

    @Test func `the page's policy allows only its own style, its own script and its own origin`() {
        #expect(Self.page.components(separatedBy: "<style>\(PageParts.style)</style>").count == 2)
        #expect(Self.page.components(separatedBy: "<script>\(PageParts.script)</script>").count == 2)
        #expect(Self.page.components(separatedBy: "<style").count == 2)
        #expect(Self.page.components(separatedBy: "<script").count == 2)
        #expect(!Self.page.contains(" style="))
        #expect(
            DocumentationPage.policy.wholeMatch(
                of:
                    #/default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; script-src 'sha256-[A-Za-z0-9+/]{43}='; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'/#
            ) != nil)
    }

    @Test(
        arguments: [
            ("TAG", true), ("W/TAG", true), ("\"x\", TAG", true), ("*", true), ("\"x\"", false), ("", false),
            ("TAG\"", false),
            ("x", false),
        ])
    func `If-None-Match with the page's entity tag matches the page`(value: String, isKnown: Bool) throws {
        let page = StaticPage.documentation(.gateway)
        let tag = try #require(page.unchanged.fields.lines.first?.dropFirst("ETag: ".count))
        let fields = FieldList(["If-None-Match": value.replacing("TAG", with: tag)])

        #expect(page.isKnown(to: fields) == isKnown)
        #expect(!page.isKnown(to: FieldList([:])))
        #expect(!StaticPage.description(.gateway).isKnown(to: fields) || value == "*")
    }
}
