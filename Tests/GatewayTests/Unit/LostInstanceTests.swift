// SPDX-License-Identifier: Apache-2.0

import HTTPClient
import HTTPServer
import TestThreads
import Testing

@testable import Proxying

/// Tests the response to a client whose instance has not responded. If a client immediately repeats a request that the
/// instance may have received, the request can run twice.
@Suite(.onTestThreads) struct LostInstanceTests {
    private static let failures: [UpstreamFailure] = [
        .refused, .outOfDescriptors, .noAnswer("x"), .badAnswer("x"), .brokenBody("x"),
    ]

    @Test(arguments: failures)
    func `the 502 to a request that may have been received asks to check the session first`(failure: UpstreamFailure) {
        let error = LostInstance.error(for: failure, port: 4096, project: "alpha", mayBeReceived: true)

        #expect(error.status == 502)
        #expect(error.sentence.hasSuffix("Check the session before you send the request again."))
        #expect(error.sentence.contains("OpenCode of project alpha may have received the request"))
        #expect(!error.sentence.contains("Try again"))
    }

    @Test(arguments: failures)
    func `the response to a request that did not reach the instance does not warn against a repeat`(
        failure: UpstreamFailure
    ) {
        let error = LostInstance.error(for: failure, port: 4096, project: "alpha", mayBeReceived: false)
        let isUnsent = failure == .refused || failure == .outOfDescriptors

        #expect(error.status == (isUnsent ? 503 : 502))
        #expect(!error.sentence.contains("may have received"))
    }
}
