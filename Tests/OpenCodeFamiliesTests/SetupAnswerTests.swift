// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

/// Tests the responses of an instance about its configuration.
@Suite struct SetupAnswerTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `each family is queried at its own setup paths`() {
        #expect(SetupQuery.allCases.map { $0.path(for: .one) } == ["/config", "/config/providers", nil])
        #expect(
            SetupQuery.allCases.map { $0.path(for: .two) }
                == ["/api/config", "/api/model", "/api/experimental/migration/v1"])
    }

    // MARK: Configuration

    @Test(arguments: [#"{"$schema":"https://opencode.ai/config.json"}"#, "[]", ""])
    func `a response with status 200 reports a usable configuration`(body: String) {
        #expect(ConfigurationAnswer.trouble(status: 200, body: bytes(body)) == nil)
    }

    @Test func `a broken configuration is reported without its content`() throws {
        // The message that 1.18.33 prints when it starts, in the format of its errors.
        let body = #"""
            {"name":"ConfigJsonError","data":{"path":"/home/vibe/demo/opencode.json","message":"Config file at \
            """#.replacing("\\\n", with: "") + #"""
                /home/vibe/demo/opencode.json is not valid JSON(C): \n--- JSONC Input ---\n{ \"apiKey\": \"sk-1234\" x\n--- Errors ---\nInvalidSymbol at line 1, column 3\n   Line 1: { \"apiKey\": \"sk-1234\" x\n            ^"}}
                """#
        let trouble = try #require(ConfigurationAnswer.trouble(status: 400, body: bytes(body)))

        #expect(
            trouble == "OpenCode cannot use the project's configuration (400, ConfigJsonError, "
                + "/home/vibe/demo/opencode.json: Config file at /home/vibe/demo/opencode.json is not valid JSON(C) "
                + "InvalidSymbol at line 1, column 3). Fix the project's opencode.json, then stop and start "
                + "the instance.")
        #expect(!trouble.contains("sk-1234"))
    }

    @Test(arguments: [
        (500, "", "(500)"), (400, "<html>", "(400)"), (400, #"{"_tag":"InvalidRequestError","message":"no"}"#, "no"),
        (400, #"{"name":"BadRequest"}"#, "(400, BadRequest)"), (400, #"{"name":"Bad","data":null}"#, "(400, Bad)"),
        // Values in other formats are not trusted.
        (400, #"{"name":"Bad","message":["no"]}"#, "(400)"), (400, #"{"name":"Bad","data":"no"}"#, "(400)"),
        (400, #"{"name":"Bad","data":{"path":1}}"#, "(400)"), (400, #"["Bad"]"#, "(400)"),
    ])
    func `each configuration error is reported with its status or message`(status: Int, body: String, word: String) {
        #expect(ConfigurationAnswer.trouble(status: status, body: bytes(body))?.contains(word) == true)
    }

    @Test func `a long message is truncated, and its control characters are removed`() throws {
        let body = #"{"name":"X","data":{"message":"\u001b[31m"# + String(repeating: "a", count: 10_000) + #""}}"#
        let trouble = try #require(ConfigurationAnswer.trouble(status: 400, body: bytes(body)))

        #expect(trouble.count < 450)
        #expect(!trouble.contains("\u{1B}"))
    }

    // MARK: Models

    @Test(arguments: [
        (#"{"providers":[{"id":"a","models":{"m":{"id":"m","cost":{}}}}],"default":{}}"#, true),
        (#"{"providers":[{"id":"a","models":{}},{"id":"b"}]}"#, false), (#"{"providers":[]}"#, false),
        // The `models` response of 2.0.15 before its provider has been loaded.
        (#"{"location":{"directory":"/home/vibe/demo"},"data":[]}"#, false),
        (#"{"location":{"directory":"/home/vibe/demo"},"data":[{"id":"talk"}]}"#, true), ("{}", nil), ("[", nil),
        ("[]", nil), (#"{"providers":null,"data":null}"#, nil), (#"{"providers":null,"data":[1]}"#, true),
        (#"{"providers":[{"models":null}]}"#, false), (#"{"providers":[{"models":{"m":1}}]}"#, true),
        (#"{"providers":{}}"#, nil), (#"{"providers":[1]}"#, nil), (#"{"providers":[{"models":["m"]}]}"#, nil),
        (#"{"data":{"m":1}}"#, nil), (#"{"providers":[{"models":{"m":1}}],"data":1}"#, nil),
    ])
    func `the presence of models is read from the responses of both families`(body: String, hasModels: Bool?) {
        #expect(ModelsAnswer.hasModels(status: 200, body: bytes(body)) == hasModels)
        #expect(ModelsAnswer.hasModels(status: 400, body: bytes(body)) == nil)
    }

    // MARK: Migration

    @Test(arguments: [
        (200, #"{"status":"completed"}"#, MigrationAnswer.completed), (404, "", .completed),
        (200, #"{"status":"required"}"#, .required),
        (200, #"{"status":"running","progress":{"label":"Sessions"}}"#, .running(progress: "Sessions")),
        (
            200, #"{"status":"running","progress":{"label":"Sessions","numerator":12,"denominator":40}}"#,
            .running(progress: "Sessions 12 of 40")
        ),
        (
            200, #"{"status":"running","progress":{"label":"Sessions","numerator":12,"denominator":null}}"#,
            .running(progress: "Sessions 12")
        ),
        (200, #"{"status":"error","error":"disk full"}"#, .failed(reason: "disk full")),
        (200, #"{"status":"running"}"#, .running(progress: "")), (200, #"{"status":"error"}"#, .failed(reason: "")),
        (200, #"{}"#, nil), (200, #"{"status":null}"#, nil), (200, #"{"status":1}"#, nil),
        (200, #"{"status":"completed","progress":1}"#, nil), (200, #"{"status":"completed","progress":{}}"#, nil),
        (200, #"{"status":"error","error":{}}"#, nil),
        (200, #"{"status":"running","progress":{"label":"Sessions","numerator":"12"}}"#, nil),
        (200, #"{"status":"unheard of"}"#, nil), (200, "<html>", nil), (500, "", nil), (401, "", nil),
    ])
    func `each documented migration response is read, and each malformed one is rejected`(
        status: Int, body: String, answer: MigrationAnswer?
    ) {
        #expect(MigrationAnswer(status: status, body: bytes(body)) == answer)
    }

    @Test func `each migration state except completed has a warning`() {
        #expect(MigrationAnswer.completed.warning == nil)
        #expect(MigrationAnswer.running(progress: "Sessions 12 of 40").warning?.contains("Sessions 12 of 40") == true)
        #expect(MigrationAnswer.required.warning != nil)
        #expect(MigrationAnswer.failed(reason: "disk full").warning?.contains("disk full") == true)
    }
}
