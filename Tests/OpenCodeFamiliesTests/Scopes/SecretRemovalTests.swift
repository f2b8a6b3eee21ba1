// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

@Suite("The removal of provider secrets from responses")
struct SecretRemovalTests {
    private func removed(
        _ document: SecretDocument, _ body: String, status: Int = 200
    ) throws(SecretRemoval.Failure) -> String {
        let bytes = try SecretRemoval.body(of: document, from: Array(body.utf8), status: status)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a text that is written on several lines as one line.
    private static func line(_ text: String) -> String { text.replacing("\n", with: "") }

    @Test func `OpenCode 1's configuration loses the providers' options and headers`() throws {
        let body = #"""
            {"model":"a/b","provider":{"a":{"name":"A","api":"https://u:p@host/v1?k=s","options":{"apiKey":"s",
            "baseURL":"https://x/s","timeout":30.50,"setCacheKey":true,"custom":{"token":"s"}},"key":"s","env":["A_KEY"],
            "models":{"b":{"name":"B","options":{"secret":"s"},"headers":{"Authorization":"s"},"limit":{"context":1e6},
            "variants":{"high":{"disabled":false,"apiKey":"s"}},"provider":{"npm":"n","api":"https://h:1/s"}}}}}}
            """#

        #expect(
            try removed(.configuration, body)
                == Self.line(
                    #"""
                    {"model":"a/b","provider":{"a":{"name":"A","api":"https://host","options":{"timeout":30.50,
                    "setCacheKey":true},"env":["A_KEY"],"models":{"b":{"name":"B","options":{},"headers":{},
                    "limit":{"context":1e6},"variants":{"high":{"disabled":false}},
                    "provider":{"npm":"n","api":"https://h:1"}}}}}}
                    """#))
    }

    @Test func `OpenCode 1's configuration loses the environment and the credentials of tools`() throws {
        let body = #"""
            {"mcp":{"l":{"type":"local","command":["npx","--key=s"],"environment":{"K":"s"},"enabled":true},
            "r":{"type":"remote","url":"https://m.example/s?k=s","headers":{"A":"s"},"oauth":{"clientSecret":"s"},
            "timeout":5},"off":{"enabled":false}},"lsp":{"x":{"command":["x"],"env":{"K":"s"},"initialization":{"k":"s"}}},
            "formatter":{"f":{"command":["f"],"environment":{"K":"s"},"extensions":[".c"]}},
            "plugin":["pkg@1.0","git+https://s@h/p",["p",{"token":"s"}]],
            "experimental":{"hook":{"session_completed":[{"command":["x"],"environment":{"K":"s"}}]},"batch_tool":true},
            "enterprise":{"url":"https://h/s"},"future":"s"}
            """#

        #expect(
            try removed(.configuration, body)
                == Self.line(
                    #"""
                    {"mcp":{"l":{"type":"local","command":[],"enabled":true},"r":{"type":"remote","url":"https://m.example",
                    "timeout":5},"off":{"enabled":false}},"lsp":{"x":{"command":[]}},
                    "formatter":{"f":{"command":[],"extensions":[".c"]}},"plugin":["pkg@1.0","git+https://h",["p",{}]],
                    "experimental":{"batch_tool":true},"enterprise":{"url":"https://h"}}
                    """#))
    }

    @Test func `the agents lose their options`() throws {
        let body =
            #"[{"name":"build","model":{"modelID":"m","providerID":"p"},"options":{"apiKey":"s"},"prompt":"Hi","x":"s"}]"#

        #expect(
            try removed(.agents, body)
                == #"[{"name":"build","model":{"modelID":"m","providerID":"p"},"options":{},"prompt":"Hi"}]"#)
    }

    @Test(arguments: ["all", "providers"])
    func `OpenCode 1's providers lose their key, their options and their models' headers`(list: String) throws {
        let body = #"""
            {"\#(list)":[{"id":"p","source":"api","env":["K"],"key":"s","options":{"apiKey":"s"},"models":{"m":{"id":"m",
            "api":{"id":"m","url":"https://h/s","npm":"n"},"options":{"k":"s"},"headers":{"A":"s"},
            "variants":{"low":{"k":"s"}}}}}],"default":{"p":"m"}}
            """#

        #expect(
            try removed(.providers, body)
                == Self.line(
                    #"""
                    {"\#(list)":[{"id":"p","source":"api","env":["K"],"options":{},"models":{"m":{"id":"m",
                    "api":{"id":"m","url":"https://h","npm":"n"},"options":{},"headers":{},
                    "variants":{"low":{}}}}}],"default":{"p":"m"}}
                    """#))
    }

    @Test func `OpenCode 2's configuration loses the providers' settings and the credentials of tools`() throws {
        let body = #"""
            [{"type":"document","path":"/c","info":{"providers":{"p":{"package":"n","settings":{"apiKey":"s"},
            "headers":{"A":"s"},"body":{"k":"s"},"models":{"m":{"settings":{"k":"s"},
            "variants":[{"id":"v","settings":{"k":"s"}}]}}}},"mcp":{"timeout":{"startup":1},"servers":{"r":{"type":"remote",
            "url":"https://h/s","headers":{"A":"s"},"oauth":{"client_secret":"s"}}}},
            "agents":{"a":{"system":"Hi","request":{"headers":{"A":"s"},"body":{"k":"s"}}}},
            "plugins":["p",{"package":"q","options":{"k":"s"}}],"lsp":true,"formatter":false}},
            {"type":"directory","path":"/d"}]
            """#

        #expect(
            try removed(.configurationDocuments, body)
                == Self.line(
                    #"""
                    [{"type":"document","path":"/c","info":{"providers":{"p":{"package":"n","settings":{},"headers":{},
                    "body":{},"models":{"m":{"settings":{},"variants":[{"id":"v","settings":{}}]}}}},
                    "mcp":{"timeout":{"startup":1},"servers":{"r":{"type":"remote","url":"https://h"}}},
                    "agents":{"a":{"system":"Hi","request":{"headers":{},"body":{}}}},
                    "plugins":["p",{"package":"q","options":{}}],"lsp":true,"formatter":false}},
                    {"type":"directory","path":"/d"}]
                    """#))
    }

    @Test(arguments: [true, false])
    func `the lists and entries below api lose settings, headers, bodies and metadata`(isList: Bool) throws {
        let entry = #"""
            {"id":"p","settings":{"k":"s"},"headers":{"A":"s"},"body":{"k":"s"},"metadata":{"k":"s"},
            "api":{"type":"native","url":"https://h/s","settings":{"k":"s"}},"request":{"headers":{"A":"s"}},"future":"s",
            "source":{"type":"git","repository":"https://s@h/r"},"cost":[{"input":0.10}]}
            """#
        let kept =
            #"{"id":"p","settings":{},"headers":{},"body":{},"api":{"type":"native","url":"https://h","settings":{}},"#
            + #""request":{"headers":{}},"source":{"type":"git","repository":"https://h"},"cost":[{"input":0.10}]}"#
        let list = isList ? ("[", "]") : ("", "")

        #expect(
            try removed(.data, #"{"location":{"directory":"/d"},"data":\#(list.0)\#(entry)\#(list.1)}"#)
                == #"{"location":{"directory":"/d"},"data":\#(list.0)\#(kept)\#(list.1)}"#)
    }

    @Test func `a value with an unknown shape is cleared`() throws {
        #expect(try removed(.configuration, #"["s"]"#) == "[]")
        #expect(try removed(.configuration, #""s""#) == #""""#)
        #expect(
            try removed(.configuration, #"{"provider":["s"],"mcp":"s","lsp":null}"#)
                == #"{"provider":[],"mcp":"","lsp":null}"#)
        #expect(try removed(.providers, #"{"all":{"p":{"key":"s"}},"providers":"s"}"#) == #"{"all":{},"providers":""}"#)
        #expect(try removed(.data, #"{"data":["s",["s"]],"secret":"s"}"#) == #"{"data":["",[]]}"#)
    }

    @Test func `an option that should be a number or a Boolean is removed if its value is a string`() throws {
        let body =
            #"{"provider":{"a":{"options":{"timeout":"s","headerTimeout":{"k":"s"},"chunkTimeout":["s"],"other":true}}}}"#

        #expect(try removed(.configuration, body) == #"{"provider":{"a":{"options":{}}}}"#)
    }

    @Test func `an escaped name follows the rules for its decoded form`() throws {
        let body = #"{"all":[{"\u006bey":"s","\u0069d":"p","options":{"api\u004bey":"s"},"api":"https:\/\/u:s@h\/s"}]}"#

        #expect(try removed(.providers, body) == #"{"all":[{"\u0069d":"p","options":{},"api":"https://h"}]}"#)
    }

    @Test func `an error keeps only its name`() throws {
        let body =
            #"{"name":"ConfigJsonError","data":{"path":"/c","message":"--- JSONC Input ---\n{\"apiKey\":\"s\"}"}}"#

        for document in SecretDocument.allCases {
            #expect(try removed(document, body, status: 500) == #"{"name":"ConfigJsonError"}"#)
        }
        #expect(try removed(.data, "", status: 401) == "")
    }

    @Test(
        arguments: [
            "<!doctype html>", "{", #"{"a":1} x"#, "\u{FEFF}{}", String(repeating: "[", count: 200), " ", "{,}", "[1,]",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, "[01]", "[1.]", "[.5]", "[1e]", "[+1]", "[-]", "[tru]",
            "[nul]", #"["\x"]"#, #"["\u12"]"#, "[\"\n\"]", #"["a]"#, #"["\"]"#, "[1 2]", "[NaN]", "['a']",
        ])
    func `a response that is not JSON cannot be examined`(body: String) {
        #expect(throws: SecretRemoval.Failure.isNotJSON) { try removed(.configuration, body) }
    }

    @Test func `a response that is not UTF-8 cannot be examined`() {
        #expect(throws: SecretRemoval.Failure.isNotJSON) {
            try SecretRemoval.body(of: .agents, from: [0x22, 0xFF, 0x22], status: 200)
        }
    }

    @Test(
        arguments: [
            #"{"model":"a","model":"b"}"#, #"{"provider":{"a":{},"\u0061":{"options":{"apiKey":"s"}}}}"#,
            #"{"username":[{"x":1,"x":2}]}"#,
        ])
    func `a response with a repeated name cannot be examined`(body: String) {
        #expect(throws: SecretRemoval.Failure.repeatsName) { try removed(.configuration, body) }
    }

    @Test(
        arguments: [
            ("https://h", "https://h"), ("https://h:8080/p/s?k=s#s", "https://h:8080"),
            ("https://u:p@h/x", "https://h"), ("https://u:a@b@h?x", "https://h"), ("https://h?k=s", "https://h"),
            ("https://h\\s", "https://h"), ("HTTP://H/s", "HTTP://H"), ("@scope/plugin@1.0", "@scope/plugin@1.0"),
            ("file:///home/p.js", "file://"), ("", ""),
        ])
    func `a URL keeps its scheme, host and port`(url: String, kept: String) throws {
        #expect(
            try removed(.configuration, #"{"instructions":["\#(url.replacing("\\", with: "\\\\"))"]}"#)
                == #"{"instructions":["\#(kept)"]}"#)
    }

    @Test(arguments: 0..<8)
    func `a damaged response is rejected or is still JSON without secrets`(seed: Int) throws {
        let original =
            Array(
                #"{"all":[{"id":"p","key":"SECRET","options":{"apiKey":"SECRET","timeout":-1.5e3},"models":{"m":{"#.utf8
            )
            + Array(#""headers":{"A":"SECRET"},"name":"\u00e9\"","cost":[0,null,true]}}}],"connected":[]}"#.utf8)
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            var body = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<body.count, using: &generator)
                let byte = Array(#"{}[],:"\ 0e-tn"#.utf8).randomElement(using: &generator) ?? 0x20
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: body[index] = byte
                case 1: body.insert(byte, at: index)
                default: body.remove(at: index)
                }
            }
            guard let result = try? SecretRemoval.body(of: .providers, from: body, status: 200) else { continue }
            let input = try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)
            let output = try? JSONSerialization.jsonObject(with: Data(result), options: .fragmentsAllowed)
            let text = String(decoding: body, as: UTF8.self)

            #expect(input != nil, "\(text)")
            #expect(output != nil, "\(text)")
            #expect(!String(decoding: result, as: UTF8.self).contains(#"apiKey":"SECRET"#), "\(text)")
        }
    }

    // MARK: Recorded documents

    /// Returns the paths of all texts in a value that contain the secret. List elements have no name.
    private static func survivors(_ value: Any, _ path: [String] = []) -> [[String]] {
        switch value {
        case let text as String: text.contains("SECRET") ? [path] : []
        case let list as [Any]: list.flatMap { survivors($0, path) }
        case let object as [String: Any]: object.flatMap { survivors($0.value, path + [$0.key]) }
        default: []
        }
    }

    /// The names of members whose content may be a secret, in any of the documents.
    private static let suspicious: Set = [
        "key", "apiKey", "apikey", "options", "headers", "settings", "body", "environment", "oauth", "clientSecret",
        "client_secret", "clientId", "client_id", "metadata", "initialization", "url", "uri", "repository", "target",
        "baseURL", "enterpriseUrl", "api", "hook", "request", "nested", "token", "secret", "extra", "urls",
        "instructions", "plugin", "plugins",
    ]

    @Test(.enabled(if: RecordedDocuments.areAvailable), arguments: RecordedDocuments.counts.keys.sorted())
    func `no secret survives in any shape that a document permits`(version: String) throws {
        let document = try RecordedDocuments.document(version)
        let url = "https://u:SECRET@h.example/SECRET?k=SECRET"
        var examined = 0
        for operation in document.operations {
            let judgement = RouteJudgement(
                operation.method, Array(operation.target.utf8)[...], for: operation.family)
            guard case .secrets(let kind)? = judgement.route?.content,
                let schema = document.responseSchema(operation.method, operation.path)
            else { continue }
            examined += 1
            for choice in 0..<3 {
                let sample = document.sample(schema, choice: choice, text: url)
                let body = try SecretRemoval.body(of: kind, from: Fixtures.bytes(json: sample), status: 200)
                let result = try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)
                let survivors = Self.survivors(result).filter { path in
                    // The ids in `api` and the fields of sign-in methods are no secrets.
                    let names = path.filter { $0 != "methods" }
                    guard !path.contains("methods"), path.suffix(2) != ["api", "id"], path.suffix(2) != ["api", "npm"],
                        path.suffix(2) != ["api", "package"], path.suffix(2) != ["request", "variant"]
                    else { return false }
                    return names.contains { Self.suspicious.contains($0) }
                }

                #expect(survivors == [], "\(operation)")
            }
        }
        #expect(examined == (version == "2.0.15" ? 11 : version.hasPrefix("1.18") ? 12 : version == "1.2.27" ? 5 : 4))
    }

    @Test(.enabled(if: RecordedDocuments.areAvailable), arguments: RecordedDocuments.counts.keys.sorted())
    func `the members that a client needs remain in each shape`(version: String) throws {
        let document = try RecordedDocuments.document(version)
        for operation in document.operations {
            let judgement = RouteJudgement(
                operation.method, Array(operation.target.utf8)[...], for: operation.family)
            guard case .secrets(let kind)? = judgement.route?.content,
                let schema = document.responseSchema(operation.method, operation.path)
            else { continue }
            let sample = document.sample(schema, choice: 0, text: "text")
            let body = try SecretRemoval.body(of: kind, from: Fixtures.bytes(json: sample), status: 200)
            let result = try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)
            let missing = Self.missing(in: result, from: sample)

            #expect(missing.subtracting(Self.removable) == [], "\(operation)")
        }
    }

    /// Returns the names of members that are in `original` but not in `result`.
    private static func missing(in result: Any, from original: Any) -> Set<String> {
        if let original = original as? [String: Any], let result = result as? [String: Any] {
            return original.reduce(into: []) { missing, member in
                if let kept = result[member.key] {
                    missing.formUnion(Self.missing(in: kept, from: member.value))
                } else {
                    missing.insert(member.key)
                }
            }
        }
        guard let original = original as? [Any], let result = result as? [Any] else { return [] }
        return zip(result, original).reduce(into: []) { $0.formUnion(missing(in: $1.0, from: $1.1)) }
    }

    /// The members that are removed on purpose.
    private static let removable: Set = [
        "key", "apiKey", "baseURL", "enterpriseUrl", "environment", "env", "headers", "oauth", "initialization",
        "metadata", "hook", "nested", "any", "any0", "any1", "any2", "any3",
    ]

    @Test(.enabled(if: RecordedDocuments.areAvailable), arguments: ["1.1.11", "1.2.27", "1.18.33", "2.0.15"])
    func `recorded responses lose the keys that they contain`(version: String) throws {
        struct Exchange: Decodable {
            struct Request: Decodable {
                var method: String
                var target: String
            }
            struct Response: Decodable {
                struct Body: Decodable {
                    var text: String?
                    var cut: Bool?
                }
                var status: Int?
                var body: Body?
            }
            var request: Request
            var response: Response?
        }
        let lines = try Data(contentsOf: RecordedDocuments.recording(version).appending(path: "http.jsonl"))
            .split(separator: UInt8(ascii: "\n"))
        var examined = 0
        for line in lines {
            guard let exchange = try? JSONDecoder().decode(Exchange.self, from: line),
                let body = exchange.response?.body, let text = body.text, body.cut != true,
                case .secrets(let kind)? = RouteJudgement(
                    exchange.request.method, Array(exchange.request.target.utf8)[...],
                    for: APIFamily(version: version)
                ).route?.content
            else { continue }
            examined += 1
            let result = try removed(kind, text, status: exchange.response?.status ?? 0)

            #expect(!result.contains("apiKey"))
            #expect(!result.contains("not-a-secret"))
            #expect(!result.contains("9911"), "the port of the model's server")
        }
        #expect(examined > 0)
    }
}
