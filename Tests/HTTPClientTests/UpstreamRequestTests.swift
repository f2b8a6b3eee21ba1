import Addresses
import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("Which connection may carry a request (RFC 9110 §9.2.2)")
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
        "Any that is kept, where the request can be sent again without harm",
        arguments: [Method.get, .head, .put, .delete, .options, .trace])
    func idempotent(method: Method) {
        #expect(choice(method) == .kept)
        #expect(choice(method, body: .whole([])) == .kept)
        #expect(choice(method, body: .whole([1, 2, 3])) == .kept)
    }

    @Test("One that was just used, where the body is gone once it was sent", arguments: [nil, 0, 5] as [UInt64?])
    func streamed(length: UInt64?) {
        for method in [Method.get, .put, .delete] {
            #expect(choice(method, body: .streamed(length: length)) == .justUsed)
        }
    }

    @Test(
        "One that was just used, where the request may do harm when it is done twice",
        arguments: [Method.post, .patch, .connect, .other])
    func notIdempotent(method: Method) {
        #expect(choice(method) == .justUsed)
        #expect(choice(method, body: .whole([])) == .justUsed)
        #expect(choice(method, body: .whole([1, 2, 3])) == .justUsed)
        #expect(choice(method, body: .streamed(length: 5)) == .justUsed)
    }

    @Test("Its own, where the request may take the connection over or leaves it to nobody", arguments: Method.allCases)
    func own(method: Method) {
        #expect(choice(method, mayUpgrade: true) == .own)
        #expect(choice(method, isAlone: true) == .own)
    }
}
