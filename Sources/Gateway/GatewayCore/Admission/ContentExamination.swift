// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import OpenCodeFamilies

/// The content of a request and of its response that the gateway examines because the request's key has limited rights.
package struct ContentExamination: Sendable, Equatable {
    /// The reply that the request's body must contain for a key below the scope `write`; nil for other requests.
    package var reply: ReplyBody?
    /// The places in the request's body that must name objects of the project; nil if the key can open all projects.
    package var references: RequestReferences?
    /// The document in the response from which the gateway removes secrets for a key below the scope `run`.
    package var secrets: SecretDocument?
    /// The list in the response from which the gateway removes other projects, if the key is limited to projects.
    package var list: ProjectList?

    /// Creates a value that examines nothing.
    package init() {}

    /// Whether the gateway must examine the complete body of the request.
    var needsBody: Bool { reply != nil || references?.haveBody == true }
    /// Whether the response is examined.
    package var concernsResponse: Bool { secrets != nil || list != nil }

    /// Returns the body that the client receives.
    ///
    /// - Parameters:
    ///   - body: The complete body of the response, without compression.
    ///   - status: The status of the response.
    ///   - isAllowed: Returns whether a list may contain the entry of this owner.
    /// - Throws: An error if the body cannot be examined. The client receives the error instead of the response.
    package func examined(
        _ body: [UInt8], status: Int, isAllowed: (ProjectList.Owner) -> Bool
    ) throws(GatewayError) -> [UInt8] {
        var body = body
        if let secrets {
            do throws(SecretRemoval.Failure) {
                body = try SecretRemoval.body(of: secrets, from: body, status: status)
            } catch {
                throw Self.unexaminable
            }
        }
        if let list, (200..<300).contains(status), !body.isEmpty {
            guard let filtered = list.filtered(body, isAllowed: isAllowed) else { throw Self.unexaminable }
            body = filtered
        }
        return body
    }

    /// The error for a response that must be examined, but is not readable.
    package static let unexaminable = GatewayError(
        403,
        "The response may contain secrets or other projects, and the gateway cannot remove them because the response is not "
            + "readable JSON. Use a key with the scope \"run\" for all projects.")

    /// Returns the refusal of a request with this body as a reply; nil if the key may send it.
    ///
    /// - Parameters:
    ///   - fields: The fields of the request that determine how a server interprets the body.
    ///   - missingScope: The refusal of a body that needs the scope `write`.
    func refusal(ofReply body: [UInt8], _ fields: ReplyBody.Fields, missingScope: GatewayError) -> GatewayError? {
        switch reply?.judgement(of: body, fields) {
        case .allowed, nil: nil
        case .needsWrite: missingScope
        case .refused(let reason): GatewayError(403, reason.rawValue)
        }
    }
}

/// The content of a request that the gateway examines because the request's key has limited rights. Most requests have no
/// such object.
package final class LimitedContent {
    /// The content to examine.
    package let examination: ContentExamination
    /// The objects that the request names and that must belong to its project; nil if the key can open all projects.
    package let isolation: ProjectIsolation?
    /// The complete body of the request after its examination; nil if the body was not examined.
    package var examinedBody: [UInt8]?

    init(_ examination: ContentExamination, _ isolation: ProjectIsolation?, examinedBody: [UInt8]?) {
        self.examination = examination
        self.isolation = isolation
        self.examinedBody = examinedBody
    }
}
