// SPDX-License-Identifier: Apache-2.0

import Access
import Audit
import Encodings
import EventLoop
package import GatewayCore
import HTTPServer
import HTTPTypes
import JSONText
package import KeyAdministration
import Keys
import OpenCodeFamilies

/// The endpoints with which an administrator gives a device a key without copying it.
package struct PairingEndpoints: Sendable {
    /// The path at which an administrator requests a pairing code.
    package static let codesPath = "/-/pair/codes"
    /// The path of the page that pairs a browser with the code in the fragment of its address.
    package static let pagePath = PairPage.path

    /// The largest size of a request's body in bytes.
    private static let longestBody = 64 << 10
    /// The largest size of the body of a device, which has no key.
    private static let longestPairing = 4 << 10

    private let keys: KeyService
    private let codes = PairingCodes()

    /// Creates the endpoints of this service.
    package init(_ keys: KeyService) { self.keys = keys }

    /// The endpoints.
    package var endpoints: [Endpoint] { [page, create, pair] }

    private var page: Endpoint {
        Endpoint(
            .get, PairPage.path, requires: .nothing,
            description: .init(
                id: "getPairingPage", summary: "Get the page that pairs a browser",
                "The fragment of the address contains the pairing code.",
                .init(status: 200, meaning: "The page.", content: .page)),
            handler: .fixed(Page.answer(200, PairPage.html, script: PairPage.script)))
    }

    private var create: Endpoint {
        let keys = keys
        let codes = codes
        return Endpoint(
            .post, Self.codesPath, requires: .key(.admin), body: .json(limit: Self.longestBody),
            description: .init(
                id: "createPairingCode", summary: "Create a pairing code",
                "The code is valid for 5 minutes and for one device. The body contains the values of the device's key, as in "
                    + "`POST /-/keys`. Without `name`, the device chooses its name. A code can grant only what the caller's key has.",
                body: Self.draftSchema,
                .json(201, schema: Self.codeSchema, "The code."),
                .error(400, "The request's head or body is invalid."),
                .error(
                    403,
                    "The key does not have the scope `admin`, or the code would grant more than the caller's key has."),
                .error(409, "There are too many keys, or too many unused pairing codes."),
                .error(503, "The keys cannot be read.")),
            handler: .control { request, _ in
                guard let creator = request.principal else { return .error(.notFound) }
                do throws(GatewayError) {
                    let (draft, hasName) = try Self.draft(request.body)
                    try await keys.checkPairing(draft, for: KeyCaller(creator, from: request.client))
                    let grant = PairingCodes.Grant(draft: draft, hasName: hasName, creator: creator)
                    guard let code = codes.issue(grant, at: .now) else { throw Self.tooManyCodes }
                    return .answer(Self.answer(code))
                } catch {
                    return .error(error)
                }
            }
        ).audited(as: .pairingCodeCreated)
    }

    private var pair: Endpoint {
        let body = BodyRule.json(limit: Self.longestPairing)
        return Endpoint(
            .post, PairPage.path, requires: .nothing, body: body,
            description: .init(
                id: "pair", summary: "Pair a device",
                "Returns the device's own key for a pairing code. `device` is a secret of at least 128 random bits, which the device "
                    + "chooses once. If the same device pairs again, it keeps its entry in the list of keys, and its previous key ends.",
                body: Self.pairSchema,
                .init(
                    status: 201, meaning: "The device's key, with its secret.",
                    content: .json(KeyResponse.secretSchema),
                    fields: ["Location": "The path of the key."]),
                .error(400, "The body is invalid."), .error(401, "The code is wrong, was used, or has expired."),
                .error(409, "There are too many keys."),
                .error(429, "Too many wrong codes came from the client's address."),
                .error(503, "The key cannot be stored.")),
            handler: .loop { request, connection, loop in
                if let refusal = loop.failedTriesRefusal(of: connection) { return loop.refuse(connection, refusal) }
                loop.callControl(connection, request, body: body) { request, _ in
                    .loop { connection, loop in redeem(request, connection, loop) }
                }
            })
    }

    /// Checks the code in a body that has arrived, and creates the device's key.
    private func redeem(_ request: ControlRequest, _ connection: ClientConnection, _ loop: GatewayLoop) {
        do throws(GatewayError) {
            let device = try PairingRequest(request.body)
            // Other requests of the client may have failed while the body arrived.
            if let refusal = loop.failedTriesRefusal(of: connection) { throw refusal }
            // The administrator's key may have ended since it created the code.
            guard let used = device.code.flatMap({ codes.redeem($0, at: loop.loop.now) }),
                loop.snapshot.keys.rights(of: used.grant.creator) != nil
            else { throw loop.failure(of: connection) ?? Self.unknownCode }
            connection.vouch()
            var draft = used.grant.draft
            if !used.grant.hasName, let name = device.name { draft.name = name }
            let keys = keys
            let creator = KeyCaller(used.grant.creator, from: request.client)
            loop.callControl(connection, request) { [draft] _, _ in
                do throws(GatewayError) {
                    let (key, token) = try await keys.pair(
                        draft, device: device.secret, for: creator)
                    return .answer(KeyResponse.created(key, token: token))
                } catch {
                    // The administrator's key has ended or lost rights, which are not the device's business.
                    if error.status == 401 || error.status == 403 { return .error(Self.unknownCode) }
                    codes.restore(used)
                    return .error(error)
                }
            }
        } catch {
            loop.refuse(connection, error)
        }
    }

    // MARK: Bodies

    /// Returns the values in the body of a request for a code, and whether they contain a name.
    private static func draft(_ body: [UInt8]) throws(GatewayError) -> (KeyDraft, hasName: Bool) {
        do throws(KeyRefusal) {
            let patch = try KeyJSON.patch(body)
            // An identity belongs to one key, which an administrator creates.
            guard patch.identity == nil else { throw .invalid(.identity, "a device's key has no identity") }
            return (KeyDraft(patch, name: "device"), patch.name != nil)
        } catch {
            throw GatewayError(error)
        }
    }

    private static func answer(_ code: PairingCode) -> GatewayAnswer {
        let end = WallClock.milliseconds + PairingCodes.lifetime.components.seconds * 1_000
        var head = ResponseHead(status: 201)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        let value: JSON = [
            "code": .string(code.description), "expires": .string(Timestamp.utc(milliseconds: end)),
        ]
        return GatewayAnswer(head: head, body: value.bytes)
    }

    private static let tooManyCodes = GatewayError(
        409, "There are \(PairingCodes.limit) unused pairing codes, which is the maximum. Try again in a few minutes.")
    private static let unknownCode = GatewayError(
        401,
        "This pairing code is wrong, was used before, or has expired. Create a new one with `viberemote-gateway pair`.",
        fields: ["WWW-Authenticate": "Bearer"])

    private static let draftSchema = KeyResponse.pairingSchema
    private static let codeSchema = Schema(
        "PairingCode",
        Schema.object([
            "code": ["type": "string", "description": "The code, such as `0123-4567-89AB-CDEF`."],
            "expires": ["type": "string", "format": "date-time", "description": "The time at which the code expires."],
        ]))
    private static let pairSchema = Schema(
        "Pairing",
        Schema.object(
            [
                "code": ["type": "string", "description": "The pairing code."],
                "name": ["type": "string", "description": "The name of the device, unless the code contains one."],
                "device":
                    ([
                        "type": "string", "pattern": "^[0-9A-Za-z_-]{22,128}$",
                        "description":
                            "A secret of at least 128 random bits that identifies the device when it pairs again.",
                    ] as JSON).orNull,
            ], required: ["code"]))
}

/// The values in the body of a request that pairs a device.
private struct PairingRequest: Sendable {
    /// The code; nil if the text cannot be a code.
    let code: PairingCode?
    let name: String?
    /// The secret by which the device identifies itself; nil if there is none.
    let secret: [UInt8]?

    init(_ body: [UInt8]) throws(GatewayError) {
        let example = "{\"code\":\"0123-4567-89AB-CDEF\"}"
        let members = try RequestMembers(
            body, names: ["code", "name", "device"], nullable: ["device"], example: example)
        guard let code = members["code"] else {
            throw GatewayError(400, "The body contains no pairing code. Send, for example, \(example).")
        }
        self.code = PairingCode(code)
        name = members["name"]
        guard let text = members["device"] else {
            secret = nil
            return
        }
        guard (22...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") || Self.isAlphanumeric($0) })
        else {
            throw GatewayError(
                400, "The value of \"device\" is invalid: use 22 to 128 letters, digits, underscores and hyphens.")
        }
        secret = Array(text.utf8)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }
}
