// SPDX-License-Identifier: Apache-2.0

internal import Logging
package import OpenCodeFamilies
package import Projects

/// A request for the OpenCode project of an instance's folder.
package struct ProjectLookup: Sendable {
    /// The name of the gateway's project.
    package let name: ProjectName
    /// Whether the caller observes the instance's events and reports changes of the project
    /// (``InstanceRegistry/projectMayHaveChanged(of:number:)``). For any other caller, a response is valid for 10 s.
    package let isWatched: Bool
    /// The greatest number of a response that may be outdated. Only a response with a greater number is returned.
    package let newerThan: UInt64

    /// Creates a request with the given values.
    package init(name: ProjectName, isWatched: Bool, newerThan: UInt64) {
        self.name = name
        self.isWatched = isWatched
        self.newerThan = newerThan
    }
}

/// Determines the OpenCode project of each instance's folder. The registry sends the query only when the project is
/// needed, because the query makes OpenCode boot the folder.
extension InstanceRegistry {
    /// The time limits for the requested instance, which may have to boot its folder, and for other instances.
    private static let requestedTimeout = Duration.seconds(5)
    private static let othersTimeout = Duration.seconds(2)

    /// Returns the OpenCode project of a ready instance's folder; nil if the instance does not report it.
    ///
    /// The project is shared if the instance's own response, or another instance's response, shows that another project
    /// of the gateway belongs to the same OpenCode project. The registry queries only instances that have responded to
    /// a client. Such instances have already opened their folders, so the query is cheap.
    package func openCodeProject(_ lookup: ProjectLookup) async -> OpenCodeProject? {
        let name = lookup.name
        if let query = instances[name]?.project, let answer = query.answer,
            answer.number <= lookup.newerThan || !lookup.isWatched && !query.isFresh()
        {
            instances[name]?.project.answer = nil
        }
        guard let answer = await projectAnswer(of: name, within: Self.requestedTimeout) else { return nil }
        if answer.identity.id != ProjectIdentity.global {
            let others = instances.keys.filter { $0 != name && isProjectOpen($0) }
            await withTaskGroup(of: Void.self) { group in
                for other in others {
                    group.addTask { _ = await self.projectAnswer(of: other, within: Self.othersTimeout) }
                }
            }
        }
        if projectsToPublish() != publishedProjects { publishRoutes() }
        return openCodeProject(of: name, by: answer)
    }

    /// Returns a project's directories as they are on the disk now; nil if there is no such project.
    package func directories(of name: ProjectName) -> DirectoryScope? {
        let scope = catalogue.assumeIsolated { $0.presentScope(of: name) } ?? instances[name]?.folder.scope
        // Publish the scope first, because the gateway assigns an instance's events to projects by the published scope.
        // If a request opens a new directory, the directory's events would otherwise count as events of another
        // project.
        if let published = publishedScopes[name], published !== scope { publishRoutes() }
        return scope
    }

    /// Invalidates the response with this number, because the instance's events indicate that the OpenCode project may
    /// have changed.
    package func projectMayHaveChanged(of name: ProjectName, number: UInt64) {
        guard instances[name]?.project.answer?.number == number else { return }
        instances[name]?.project.answer = nil
        publishRoutes()
    }

    /// Returns the projects that the loops may use without another query. A project is omitted while another instance
    /// may still report the same project.
    func projectsToPublish() -> [ProjectName: OpenCodeProject] {
        instances.filter { $0.value.project.answer != nil }.keys.reduce(into: [:]) { projects, name in
            guard let answer = instances[name]?.project.answer, let project = openCodeProject(of: name, by: answer)
            else {
                return
            }
            let isGlobal = project.id.elementsEqual(ProjectIdentity.global.utf8)
            let isOpen = instances.keys.contains { $0 != name && isProjectOpen($0) }
            if isGlobal || project.isShared || !isOpen { projects[name] = project }
        }
    }

    /// Returns the warning for `status` if other projects of this gateway belong to the same OpenCode project.
    func sharingWarnings(on name: ProjectName) -> [String] {
        let sharers = sharers(of: name)
        return sharers.isEmpty ? [] : [InstanceMessage.sharedProject(with: sharers.map(\.string).sorted())]
    }

    // MARK: Queries

    /// Returns whether an instance has responded to a client and was not queried for its project yet.
    private func isProjectOpen(_ name: ProjectName) -> Bool {
        guard let instance = instances[name], instance.setup.isConfigurationRequested else { return false }
        return instance.project.answer == nil && !instance.project.hasJustFailed(within: Self.othersTimeout)
            && instance.machine.state.address != nil
    }

    /// Returns an instance's response; nil if the instance does not report its project. If an earlier or concurrent
    /// query has a response, that response is used.
    ///
    /// Callers must use the returned response. Events may have invalidated the stored response by the time the callers
    /// resume.
    private func projectAnswer(of name: ProjectName, within timeout: Duration) async -> ProjectQuery.ProjectAnswer? {
        guard let instance = instances[name] else { return nil }
        if let answer = instance.project.answer { return answer }
        guard !instance.project.hasJustFailed(within: timeout), let endpoint = instance.route(nil, nil).endpoint else {
            return nil
        }
        guard instance.project.waiting == nil else {
            let answer = await withCheckedContinuation { instances[name]?.project.waiting?.append($0) }
            if let answer { return answer }
            // The concurrent query failed or was for another run. A failed query is repeated only with a longer time
            // limit.
            return await projectAnswer(of: name, within: timeout)
        }
        instances[name]?.project.waiting = []
        var answer = await queryProject(endpoint, within: timeout)
        if instances[name]?.generation == endpoint.generation {
            instances[name]?.project.record(answer, within: timeout)
        } else {
            // Another run has started since the query began. Discard the response, because it describes the previous
            // run.
            answer = nil
        }
        let waiting = instances[name]?.project.waiting ?? []
        instances[name]?.project.waiting = nil
        for continuation in waiting { continuation.resume(returning: answer) }
        return answer
    }

    private func queryProject(_ endpoint: InstanceEndpoint, within timeout: Duration) async -> ProjectQuery
        .ProjectAnswer?
    {
        let links = links
        let query = { (path: String) in
            InstanceQuery(endpoint: endpoint, target: Array(path.utf8), timeout: timeout)
        }
        guard let reply = await links.inquire(query(ProjectIdentity.path(for: endpoint.family))),
            let identity = ProjectIdentity(status: reply.status, body: reply.body, family: endpoint.family)
        else { return nil }
        var folders: [String]? = identity.folders
        if identity.id != ProjectIdentity.global, hasOtherProjects,
            let path = ProjectFolders.path(ofProject: identity.id, for: endpoint.family)
        {
            let reply = await links.inquire(query(path))
            folders = reply.flatMap { ProjectFolders.parse(status: $0.status, body: $0.body) }
        }
        lastProjectNumber += 1
        return ProjectQuery.ProjectAnswer(
            identity: identity, folders: folders, number: lastProjectNumber, time: .now)
    }

    // MARK: Sharing

    private var hasOtherProjects: Bool { catalogue.assumeIsolated { ($0.names?.count ?? 0) > 1 } }

    private func openCodeProject(of name: ProjectName, by answer: ProjectQuery.ProjectAnswer) -> OpenCodeProject? {
        guard let instance = instances[name] else { return nil }
        let scope = catalogue.assumeIsolated { $0.scope(of: name) } ?? instance.folder.scope
        // If the instance does not report its project's folders, these may include other projects of the gateway. The
        // OpenCode project then counts as shared.
        return OpenCodeProject(
            answer.identity, in: scope, isShared: answer.folders == nil || !sharers(of: name).isEmpty,
            number: answer.number)
    }

    /// Returns the other projects of this gateway that belong to the same OpenCode project.
    private func sharers(of name: ProjectName) -> Set<ProjectName> {
        guard let project = instances[name]?.project, let identity = project.lastIdentity,
            identity.id != ProjectIdentity.global
        else { return [] }
        var sharers = Set(instances.lazy.filter { $0.value.project.lastIdentity?.id == identity.id }.map(\.key))
        let folders = project.lastFolders + [identity.root].compactMap { $0 }
        sharers.formUnion(catalogue.assumeIsolated { $0.owners(of: folders) })
        sharers.remove(name)
        return sharers
    }
}
