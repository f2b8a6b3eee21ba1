// SPDX-License-Identifier: Apache-2.0

/// The members of a kind of object in one version, in their recorded order.
struct Layout: Sendable, ExpressibleByStringLiteral {
    private let names: [String]

    /// Creates a layout from names that are separated by spaces.
    init(stringLiteral value: String) {
        names = value.split(separator: " ").map(String.init)
    }

    /// Returns an object with the members that this layout contains. Omits members whose value is nil.
    func object(_ members: [String: JSON?]) -> JSON {
        .object(
            names.compactMap { name in
                guard let value = members[name] ?? nil else { return nil }
                return JSON.Member(name: name, value: value)
            })
    }
}

/// The layouts of messages and their parts in one context, such as events, a response or a list.
struct MessageLayouts: Sendable {
    let user: Layout
    let assistant: Layout
    /// The layout of all parts that have no separate layout.
    let part: Layout
    let stepStart: Layout
    let stepFinish: Layout
    /// The layout of a tool call that has begun to run.
    let tool: Layout
    /// The layout of the state of an unfinished tool call.
    let openState: Layout
    /// The layout of the state of a finished tool call.
    let state: Layout
    /// The layout of the `cache` member in a finished message's tokens.
    let cache: Layout

    init(
        user: Layout, assistant: Layout, part: Layout, stepStart: Layout? = nil, stepFinish: Layout? = nil,
        tool: Layout? = nil, openState: Layout? = nil, state: Layout, cache: Layout = "read write"
    ) {
        self.user = user
        self.assistant = assistant
        self.part = part
        self.stepStart = stepStart ?? part
        self.stepFinish = stepFinish ?? part
        self.tool = tool ?? part
        self.openState = openState ?? state
        self.state = state
        self.cache = cache
    }
}

/// The layouts of all objects that a version returns.
struct Layouts: Sendable {
    /// The layout of a new session in `session.created`.
    let sessionCreated: Layout
    let sessionChanged: Layout
    let sessionAnswer: Layout
    /// The layout of a new session in the response to the request that creates it.
    let sessionCreatedAnswer: Layout

    /// The layout of the prompt's message when the message is added.
    let userAdded: Layout
    /// The layout of the prompt's message with the first summary of changes.
    let userSummarized: Layout
    /// The layouts of the prompt's parts when the parts are added.
    let prompt: MessageLayouts

    let event: MessageLayouts
    let answer: MessageLayouts
    let list: MessageLayouts
    /// The layouts in the events about a forked session's messages.
    let forked: MessageLayouts
    /// The layouts in the events about `POST /session/ID/shell`.
    let shellEvent: MessageLayouts
    /// The layouts in the response to `POST /session/ID/shell`.
    let shellAnswer: MessageLayouts

    let tokens: Layout
    /// The layout of the properties of events that contain the info of a session or a message.
    let infoProperties: Layout
    /// The layout of the properties of `message.part.updated`.
    let partProperties: Layout
    let project: Layout
    let currentProject: Layout
    /// The layout of a subagent's restrictions in a stored session.
    let restriction: Layout
    let todo: Layout
    let change: Layout
    let bashMetadata: Layout
    let taskMetadata: Layout
    let permissionMetadata: Layout
    let providerErrorData: Layout
    let provider: Layout
    let model: Layout
    let modelInterface: Layout
    let branch: Layout
    let configuration: Layout
    let configuredProvider: Layout
    let command: Layout
}
