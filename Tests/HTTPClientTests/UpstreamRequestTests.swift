// SPDX-License-Identifier: Apache-2.0

import Addresses
import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("The choice of a connection for a request (RFC 9110 §9.2.2)")
struct UpstreamRequestTests {
    private func choice(
        _ method: Method, body: UpstreamRequest.Body = .none, mayUpgrade: Bool = false, isAlone: Bool = false
    ) -> UpstreamRequest.ConnectionChoice {
        UpstreamRequest(
            instance: InstanceAddress(ip: .loopback, port: 4096), method: method, methodName: "any",
            target: [UInt8(ascii: "/")], fields: FieldList(), body: body, mayUpgrade: mayUpgrade, isAlone: isAlone
        ).connectionChoice
    }

    @Test(
        arguments: [Method.get, .head, .put, .delete, .options, .trace])
    func `an idempotent request may use any kept connection`(method: Method) {
        #expect(choice(method) == .kept)
        #expect(choice(method, body: .whole([])) == .kept)
        #expect(choice(method, body: .whole([1, 2, 3])) == .kept)
    }

    @Test(arguments: [nil, 0, 5] as [UInt64?])
    func `a request whose body is not stored uses only a connection that was just used`(length: UInt64?) {
        for method in [Method.get, .put, .delete] {
            #expect(choice(method, body: .streamed(length: length)) == .justUsed)
        }
    }

    @Test(
        arguments: [Method.post, .patch, .connect, .other])
    func `a non-idempotent request uses only a connection that was just used`(method: Method) {
        #expect(choice(method) == .justUsed)
        #expect(choice(method, body: .whole([])) == .justUsed)
        #expect(choice(method, body: .whole([1, 2, 3])) == .justUsed)
        #expect(choice(method, body: .streamed(length: 5)) == .justUsed)
    }

    @Test(arguments: Method.allCases)
    func `a request that may upgrade or must not share a connection has its own connection`(method: Method) {
        #expect(choice(method, mayUpgrade: true) == .dedicated)
        #expect(choice(method, isAlone: true) == .dedicated)
    }
}
