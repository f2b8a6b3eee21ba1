// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
package import GatewayCore
import HTTPServer
import HTTPTypes
package import Keys
import OpenCodeFamilies

/// The endpoints below `/-/keys`.
extension KeyService {
    /// The largest size of a request's body in bytes. A key for a hundred projects with long names is smaller.
    private static let longestBody = 64 << 10

    /// The endpoints that manage keys. All of them need a key with the scope `admin`.
    package nonisolated var endpoints: [Endpoint] {
        [
            endpoint(
                .get, "", id: "listKeys", summary: "List the keys",
                "Returns the keys that the caller's key can manage, ordered by name. A key for some projects manages the keys that "
                    + "are limited to these projects. The administrators' secrets in the settings are not listed.",
                .json(200, schema: KeyResponse.listSchema, "The keys.")
            ) { _ in .list },
            endpoint(
                .post, "", id: "createKey", summary: "Create a key",
                "The response contains the key itself, which the gateway stores only as a hash. A key can grant only what it has.",
                input: KeyResponse.draftSchema, body: .json(limit: Self.longestBody),
                .init(
                    status: 201, meaning: "The key, with its secret.", content: .json(KeyResponse.secretSchema),
                    fields: ["Location": "The path of the key."])
            ) { _ in .create },
            endpoint(
                .get, "/{id}", id: "getKey", summary: "Get a key", "Returns the key without its secret.",
                .json(200, schema: KeyResponse.keySchema, "The key.")
            ) { .show(id: $0) },
            endpoint(
                .patch, "/{id}", id: "changeKey", summary: "Change a key",
                "Changes the values in the body. Everything that the key has opened and may no longer open ends before the response.",
                input: KeyResponse.patchSchema, body: .json(limit: Self.longestBody),
                .json(200, schema: KeyResponse.keySchema, "The changed key.")
            ) { .change(id: $0) },
            endpoint(
                .delete, "/{id}", id: "revokeKey", summary: "Revoke a key",
                "Removes the key. Everything that the key has opened ends before the response.",
                .init(status: 204, meaning: "The key was revoked.", content: .nothing)
            ) { .revoke(id: $0) },
            endpoint(
                .post, "/{id}/rotate", id: "rotateKey", summary: "Replace the secret of a key",
                "The response contains the new key. Without `keep_old`, the previous key ends before the response, with "
                    + "everything that it has opened.",
                input: KeyResponse.rotationSchema, body: .optionalJSON(limit: Self.longestBody),
                .json(200, schema: KeyResponse.secretSchema, "The key, with its new secret.")
            ) { .rotate(id: $0) },
        ]
    }

    private nonisolated func endpoint(
        _ method: MethodSet, _ path: String, id: String, summary: String, _ text: String, input: Schema? = nil,
        body: BodyRule = .ignored, _ outcome: Endpoint.DescribedAnswer,
        operation: @escaping @Sendable (_ id: String) -> KeyOperation
    ) -> Endpoint {
        let description = Endpoint.Description(
            id: id, summary: summary, text, body: input, outcome,
            .error(400, "The request's head or body is invalid."),
            .error(
                403,
                "The key does not have the scope `admin`, or the request would grant more than the caller's key has."),
            .error(404, "The key does not exist, or the caller's key cannot manage it."),
            .error(409, "Another key has this name or identity, or there are too many keys."),
            .error(503, "The keys cannot be read or stored."))
        var endpoint = Endpoint(
            method, KeyOperation.path + path, requires: .key(.admin), body: body, description: description,
            handler: .control { request, _ in
                let id = String(decoding: request.parameters["id"] ?? [], as: UTF8.self)
                guard let caller = request.principal.map({ KeyCaller($0, from: request.client) }) else {
                    return .error(.notFound)
                }
                return switch await self.respond(to: operation(id), body: request.body, for: caller) {
                case .success(let answer): .answer(answer)
                case .failure(let error): .error(error)
                }
            })
        // The service checks the caller's key when it makes the change.
        endpoint.outlivesKey = true
        return endpoint
    }
}

extension KeyCaller {
    /// Creates the caller of a request. A session has the authority of the key that has signed in.
    ///
    /// - Parameter client: The client's address; nil if it is unknown.
    package init(_ principal: Principal, from client: IPAddress?) {
        self.init(
            name: principal.name, principal.key.map { .key($0.id, generation: $0.generation) } ?? .administrator,
            session: principal.session, address: client?.description)
    }
}
