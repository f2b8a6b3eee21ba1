// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies
package import Projects

/// A run of a project's server.
package struct Run: Sendable, Equatable {
    /// A unique ID: systemd's invocation ID, or a random ID.
    package let id: String
    /// The number of the server's first process on this machine; nil if the number is unknown or no process runs on
    /// this machine.
    package let processIdentifier: Int32?
    /// The credentials that the server requires; nil if they are unknown or passwords are disabled.
    package let credentials: InstanceCredentials?
    /// The start time in nanoseconds since 1970 (`WallClock`).
    package let started: Int64
    /// Whether the run was started without a request to this gateway.
    package let isFound: Bool
    /// The digest of the environment files at the server's start; nil if unknown.
    package let environmentDigest: String?
    /// The folder in which the server was started; nil if unknown.
    package let folder: FolderIdentity?
    /// The facts that an earlier gateway stored for the run.
    package let memory: InstanceMemory

    /// Creates a run with the given values.
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

/// The facts about a run that the next gateway could not determine itself.
package struct InstanceMemory: Sendable, Equatable {
    /// The OpenCode API that the server implements.
    package var family: APIFamily?
    /// The number of restarts after unrequested ends, since the last requested start.
    package var restarts: Int
    /// The last failure since the last requested start, as a message.
    package var lastError: String?

    /// Creates a memory, by default without any facts.
    package init(family: APIFamily? = nil, restarts: Int = 0, lastError: String? = nil) {
        self.family = family
        self.restarts = restarts
        self.lastError = lastError
    }
}
