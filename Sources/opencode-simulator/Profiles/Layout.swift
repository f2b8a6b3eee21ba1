/// The members that one version's objects of one kind have, in their recorded order.
struct Layout: Sendable, ExpressibleByStringLiteral {
    private let names: [String]

    /// Names with spaces between them.
    init(stringLiteral value: String) {
        names = value.split(separator: " ").map(String.init)
    }

    /// The object with those of the members that this version has; what is nil is left out.
    func object(_ members: [String: JSON?]) -> JSON {
        .object(
            names.compactMap { name in
                guard let value = members[name] ?? nil else { return nil }
                return JSON.Member(name: name, value: value)
            })
    }
}

/// How messages and their parts look in one place: in events, in an answer, in a list.
struct MessageLayouts: Sendable {
    let user: Layout
    let assistant: Layout
    /// Parts but those below.
    let part: Layout
    let stepStart: Layout
    let stepFinish: Layout
    /// Tool calls that have begun to run.
    let tool: Layout
    /// The state of a tool call that is not over.
    let openState: Layout
    /// The state of a tool call that is over.
    let state: Layout
    /// What lies in the cache of the finished message's tokens.
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

/// How everything looks that one version shows.
struct Layouts: Sendable {
    /// `session.created` and what creating one answers in versions before 1.18.
    let sessionCreated: Layout
    let sessionChanged: Layout
    let sessionAnswer: Layout
    /// A new session as the answer to the request that creates it.
    let sessionCreatedAnswer: Layout

    /// The prompt's message when it has just come.
    let userAdded: Layout
    /// The same with the first summary of changes.
    let userSummarized: Layout
    /// The prompt's parts when it has just come.
    let prompt: MessageLayouts

    let event: MessageLayouts
    let answer: MessageLayouts
    let list: MessageLayouts
    /// The events of a forked session's messages.
    let forked: MessageLayouts
    /// `POST /session/ID/shell`: its events, and its answer.
    let shellEvent: MessageLayouts
    let shellAnswer: MessageLayouts

    let tokens: Layout
    /// The properties of events that carry a session's or a message's info.
    let infoProperties: Layout
    /// The properties of `message.part.updated`.
    let partProperties: Layout
    let project: Layout
    let currentProject: Layout
    /// What a subagent may not do, as a session that is read again has it.
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
