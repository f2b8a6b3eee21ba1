package import OpenCode
package import Projects

/// One life of a project's server.
package struct Run: Sendable, Equatable {
    /// Unlike every other run's: systemd's invocation id, or a random one.
    package let id: String
    /// The number of its first process on this machine; nil where it has none here, or none that is known.
    package let processIdentifier: Int32?
    /// What it asks for; nil when passwords are switched off, or when it is not known.
    package let credentials: InstanceCredentials?
    /// When it was started: nanoseconds since 1970 (`WallClock`).
    package let started: Int64
    /// Whether it was not asked for by this gateway.
    package let isFound: Bool
    /// The digest of its environment files when it started; nil when it is not known.
    package let environmentDigest: String?
    /// The folder in which it was started; nil when it is not known.
    package let folder: FolderIdentity?
    /// What an earlier gateway has learnt of it.
    package let memory: InstanceMemory

    /// A run.
    package init(
        id: String, processIdentifier: Int32?, credentials: InstanceCredentials?, started: Int64, isFound: Bool = false,
        environmentDigest: String? = nil, folder: FolderIdentity? = nil,
        memory: InstanceMemory = InstanceMemory()
    ) {
        self.id = id
        self.processIdentifier = processIdentifier
        self.credentials = credentials
        self.started = started
        self.isFound = isFound
        self.environmentDigest = environmentDigest
        self.folder = folder
        self.memory = memory
    }
}

/// What a gateway has learnt of a run that the next gateway could not find out by itself.
package struct InstanceMemory: Sendable, Equatable {
    /// Which of OpenCode's APIs it speaks.
    package var family: APIFamily?
    /// How often it was started again after it had ended by itself, since somebody last asked for it.
    package var restarts: Int
    /// What went wrong last since then; one sentence.
    package var lastError: String?

    /// What was learnt; nothing, at first.
    package init(family: APIFamily? = nil, restarts: Int = 0, lastError: String? = nil) {
        self.family = family
        self.restarts = restarts
        self.lastError = lastError
    }
}
