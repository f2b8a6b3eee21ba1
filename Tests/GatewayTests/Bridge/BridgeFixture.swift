// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// A client of OpenCode 1, and a gateway whose project `demo` runs the simulator as OpenCode 2.0.15.
struct BridgeFixture {
    let gateway: GatewayUnderTest

    init(flags: [String] = [], profile: String = "2.0.15") throws {
        gateway = try GatewayUnderTest(
            flags: flags,
            environment: ["SIMULATOR_PROFILE": profile, "SIMULATOR_PACE": "0", "SIMULATOR_ENDS_WITH_PARENT": "1"],
            opencode: try BuiltProducts.path("opencode-simulator"))
        try start("demo")
    }

    func start(_ project: String) throws {
        try gateway.makeProject(project)
        let answer = try gateway.request("POST", "/projects/\(project)/start", within: .seconds(60))
        guard answer.status == 200 else { throw TestFailure(answer.text) }
    }

    /// Sends a request below the project's base path.
    @discardableResult
    func request(
        _ method: String, _ path: String, _ body: String? = nil, headers: [(String, String)] = [],
        of project: String = "demo"
    ) throws -> TestResponse {
        try gateway.request(
            method, "/projects/\(project)/api\(path)",
            headers: headers + (body == nil ? [] : [("Content-Type", "application/json")]),
            body: body.map { Array($0.utf8) }, within: .seconds(60))
    }

    /// Creates a session and returns its id.
    func session(_ body: String = "{}", of project: String = "demo") throws -> String {
        let answer = try request("POST", "/session", body, of: project)
        return try #require(answer.json["id"]?.text, "\(answer.text)")
    }

    /// Returns the body of a prompt with one text.
    static func prompt(_ text: String, model: String = "talk", more: String = "") -> String {
        #"{"model":{"providerID":"simulator","modelID":"\#(model)"},\#(more)"parts":[{"type":"text","text":"\#(text)"}]}"#
    }

    /// Returns the messages of a session.
    func messages(_ session: String) throws -> [JSON] {
        let answer = try request("GET", "/session/\(session)/message")
        return try #require(answer.json.elements, "\(answer.text)")
    }

    /// Repeats the request until the response meets the condition.
    func wait(_ path: String, until isWanted: (JSON) -> Bool) throws -> JSON {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            let answer = try request("GET", path).json
            if isWanted(answer) { return answer }
        }
        throw TestFailure("\(path) never said what was wanted")
    }

    var folder: String { "\(gateway.home.path)/demo" }
}

/// Returns a session in a folder, in OpenCode 2's format.
func openCode2Session(_ id: String = "ses_1", in directory: String, model: String? = nil) -> String {
    let model = model.map { #""model":{"providerID":"p","id":"\#($0)"},"# } ?? ""
    return """
        {"data":{"id":"\(id)",\(model)"projectID":"p","cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,\
        "write":0}},"time":{"created":1,"updated":1},"location":{"directory":"\(directory)"}}}
        """
}
