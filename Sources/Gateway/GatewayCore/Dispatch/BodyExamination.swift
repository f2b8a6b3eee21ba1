// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import HTTPTypes
internal import Instances
import OpenCodeFamilies

/// A request to an instance whose complete body the gateway examines before a feature serves the request.
///
/// The body remains in ``LimitedContent/examinedBody``, so that the instance receives exactly the bytes that were
/// examined.
final class BodyExamination {
    /// The maximum size of an examined body in bytes.
    private static let longestBody = 1 << 20

    private unowned let loop: GatewayLoop
    private var request: InstanceRequest?
    private var body: [UInt8] = []
    /// The number of bytes that are reserved in ``LoopSetUp/examinedBodies``.
    private var reserved = 0

    init(_ loop: GatewayLoop, _ request: InstanceRequest) {
        self.loop = loop
        self.request = request
    }

    /// Examines the body as soon as it is complete.
    func start() {
        request?.connection.exchange = self
        loop.heldRequests?.add(self)
        requestBodyArrived()
    }

    private func finish() -> InstanceRequest? {
        loop.heldRequests?.remove(self)
        loop.setUp.examinedBodies.release(reserved)
        reserved = 0
        defer { request = nil }
        return request
    }

    private func refuse(_ error: GatewayError) {
        if let request = finish() { loop.refuse(request.connection, error) }
    }

    private func refusal(_ request: InstanceRequest) -> GatewayError? {
        let context = request.connection.request
        let fields = Self.fields(request.connection.head.fields)
        guard let examination = request.content?.examination else { return nil }
        if examination.references != nil, fields.encoding != nil, !body.isEmpty {
            return RequestReferences.Failure.isNotJSON.error
        }
        guard let rights = context.principal?.rights,
            let missing = Scope.write.refusal(of: rights, project: request.route.text)
        else { return nil }
        return examination.refusal(ofReply: body, fields, missingScope: missing)
    }

    /// Returns the fields that determine how a server interprets the body.
    private static func fields(_ list: FieldList) -> ReplyBody.Fields {
        var types: [String] = []
        var encodings: [String] = []
        for index in 0..<list.count {
            let value = String(decoding: list.value(at: index), as: UTF8.self)
            switch String(decoding: list.name(at: index).map(\.lowercasedLetter), as: UTF8.self) {
            case "content-type": types.append(value)
            case "content-encoding": encodings.append(value)
            default: break
            }
        }
        return ReplyBody.Fields(
            type: types.isEmpty ? nil : types.joined(separator: ","),
            encoding: encodings.isEmpty ? nil : encodings.joined(separator: ","))
    }
}

extension BodyExamination: ServerExchange {
    func requestBodyArrived() {
        guard let connection = request?.connection else { return }
        let bytes = connection.takeBody()
        guard loop.setUp.examinedBodies.reserve(bytes.count) else { return refuse(BodyBudget.noRoomToExamine) }
        reserved += bytes.count
        body += bytes
        guard body.count <= Self.longestBody else { return refuse(BodyRule.tooLarge(Self.longestBody)) }
        guard connection.isBodyComplete else { return connection.bodyConsumed() }
        guard let request = finish() else { return }
        if let refusal = refusal(request) { return loop.refuse(connection, refusal) }
        request.content?.examinedBody = body
        // Routing the request again finds the objects that the body names.
        // The instance may have been replaced while the body arrived.
        loop.reroute(request)
    }

    func resumeResponse() {}

    func clientDisconnected() { _ = finish() }
}

extension BodyExamination: WaitingRequest {
    func routesChanged() {}
    func drain() {}
    func giveUp() { refuse(ControlAnswers.shuttingDown) }
}
