// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the main function: a request reaches the right project's instance, and its response returns unchanged.
@Suite(.onTestThreads) struct EndToEndTests {
    @Test func `a request reaches the instance and its response is returned`() throws {
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.respond(200, headers: [("Content-Type", "text/plain"), ("X-Own", "1")], text: "hello")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let answer = try gateway.request("GET", "/projects/demo/api/some%2Fpath?q=%00")

        #expect(answer.status == 200)
        #expect(answer.text == "hello")
        #expect(answer.values(of: "X-Own") == ["1"])
        #expect(instance.requests.values.last?.target == "/some%2Fpath?q=%00")
        #expect(try gateway.terminate() == .exited(0))
    }
}
