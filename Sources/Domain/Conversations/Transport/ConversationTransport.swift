// SPDX-License-Identifier: Apache-2.0

package import Dialects
internal import JSONText

/// The connections of one project's conversations: to the project's OpenCode, to the store, and to the clients.
///
/// The functions of the chat and conversations protocols are isolated to this actor. These functions communicate only
/// through this protocol. While a function is suspended, other functions and events can change ``state``. A function
/// therefore reads the state again after each `await`.
package protocol ConversationTransport: Actor {
    /// The origin of a request to OpenCode.
    associatedtype Initiator: Sendable

    /// The executor of the tasks that process the clients' messages. The executor runs jobs on the actor's own thread,
    /// so that a resumed task does not change threads first.
    nonisolated var executor: any TaskExecutor { get }

    /// The state of the project's conversations.
    var state: ConversationState { get set }

    /// The time in milliseconds since 1970.
    var now: Int64 { get }

    /// Returns a random number.
    func random() -> UInt64

    /// Sends a request to OpenCode and returns the response. If the project is not running, it may be started first.
    ///
    /// - Throws: Only ``ConversationFailure/ended``.
    func send(_ request: ClientRequest, for initiator: Initiator) async throws(ConversationFailure) -> OpenCodeAnswer

    /// Suspends the task until the state meets a condition or `limit` has passed. Returns whether the condition is met.
    ///
    /// - Throws: Only ``ConversationFailure/ended``.
    func wait(until isMet: @escaping (ConversationState) -> Bool, atMost limit: Duration)
        async throws(ConversationFailure) -> Bool

    /// Stores the changes that a client has made (``ConversationState/takeChanges()``). All later messages to clients
    /// wait until the changes are committed.
    func commit()

    /// Sends events to all clients that they concern, except the chat with the number `chat`.
    func publish(_ events: [ConversationEvent], except chat: Int?)

    /// Sends messages to the client of a chat. Does nothing if the client has left.
    func send(_ messages: [[UInt8]], to chat: Int)
}

extension ConversationTransport {
    var requests: RequestBuilder { state.requestBuilder }

    /// Stores the changes of a client, and sends events to all clients that they concern.
    func commitAndPublish(_ events: [ConversationEvent], except chat: Int? = nil) {
        commit()
        publish(events, except: chat)
    }

    /// Sends a request and returns the successful response. Throws the reason if the response is not successful.
    func sendSuccessfully(_ request: ClientRequest, for initiator: Initiator)
        async throws(ConversationFailure) -> OpenCodeAnswer
    {
        let answer = try await send(request, for: initiator)
        guard answer.isGood else { throw .refused(answer.refusal) }
        return answer
    }

    // MARK: Aborts

    /// Deletes a session. The deletion also aborts the session's running work.
    func deleteSession(_ session: String, for initiator: Initiator) async throws(ConversationFailure) {
        state.abort(session)
        _ = try await sendSuccessfully(requests.delete(session), for: initiator)
    }

    /// Aborts the running work of a session and waits until it has ended. OpenCode before 1.18 responds before the work
    /// has ended. A prompt that arrives before `message.updated` with `MessageAbortedError` is lost together with the
    /// ending loop.
    func abort(_ session: String, for initiator: Initiator) async throws(ConversationFailure) {
        state.abort(session)
        _ = try await sendSuccessfully(requests.abort(session), for: initiator)
        try await awaitEnd(of: session)
    }

    /// Suspends the task until the aborted work of a session has ended, or for ``Abort/patience``.
    func awaitEnd(of session: String) async throws(ConversationFailure) {
        guard state.isEnding(session) else { return }
        let hasEnded = try await wait(
            until: { !$0.isEnding(session) }, atMost: .milliseconds(Abort.patience))
        guard !hasEnded else { return }
        commitAndPublish(state.stopWaitingForEnd(of: session, at: now))
    }

    // MARK: The catalogue

    /// Requests the models, tools and MCP servers, and stores them in the state. An OpenCode 2 instance that has just
    /// started discovers its models after its first responses. The request is therefore repeated for a while before the
    /// instance counts as having no models.
    ///
    /// - Parameter repetitions: The maximum number of repetitions.
    func requestCatalogue(repetitions: Int = 10, for initiator: Initiator)
        async throws(ConversationFailure) -> Catalogue
    {
        var repetitions = repetitions
        while true {
            let catalogue = try await requestCatalogueOnce(for: initiator)
            guard catalogue.models.isEmpty, repetitions > 0 else {
                state.catalogue = catalogue
                return catalogue
            }
            repetitions -= 1
            _ = try await wait(until: { _ in false }, atMost: .milliseconds(300))
        }
    }

    private func requestCatalogueOnce(for initiator: Initiator) async throws(ConversationFailure) -> Catalogue {
        let providers = try await sendSuccessfully(requests.request("GET", ["config", "providers"]), for: initiator)
        guard let models = providers.json else { throw .refused(.strange) }
        let configuration = try await sendSuccessfully(requests.request("GET", ["config"]), for: initiator)
        // OpenCode 2 does not list its tools, so their number is 0.
        let tools = try await send(requests.request("GET", ["experimental", "tool", "ids"]), for: initiator)
        let servers = try await send(requests.request("GET", ["mcp"]), for: initiator)
        return Catalogue(
            models, wanted: configuration.json?["model"]?.text,
            tools: tools.isGood ? tools.json?.array?.count ?? 0 : 0,
            servers: servers.isGood ? servers.json?.object?.members.map(\.name) ?? [] : [])
    }

    /// Requests the catalogue if it is unknown. Ignores errors of OpenCode. If the instance had no model at the last
    /// request, requests the catalogue again, because the instance may have a model now.
    func updateCatalogue(for initiator: Initiator) async throws(ConversationFailure) {
        if let catalogue = state.catalogue, !catalogue.models.isEmpty { return }
        let repetitions = state.catalogue == nil ? 10 : 0
        do throws(ConversationFailure) {
            _ = try await requestCatalogue(repetitions: repetitions, for: initiator)
        } catch {
            if case .ended = error { throw error }
        }
    }

    /// Ensures that OpenCode has a model for a message. Requests the catalogue unless the known catalogue has models.
    func requireModel(for initiator: Initiator) async throws(ConversationFailure) {
        if let catalogue = state.catalogue, !catalogue.models.isEmpty { return }
        let catalogue = try await requestCatalogue(for: initiator)
        guard !catalogue.models.isEmpty else { throw .refused(.noModel) }
    }
}
