internal import Logging
package import OpenCode
package import Projects

/// The question which project an instance's folder is to OpenCode.
package struct ProjectInquiry: Sendable {
    /// The project here.
    package let name: ProjectName
    /// Whether who asks follows the instance's events, and tells of changes
    /// (``InstanceRegistry/projectMayHaveChanged(of:number:)``). Else an answer is believed for 10 s.
    package let isWatched: Bool
    /// Answers with this number and smaller ones may be wrong by now.
    package let newerThan: UInt64

    /// A question.
    package init(name: ProjectName, isWatched: Bool, newerThan: UInt64) {
        self.name = name
        self.isWatched = isWatched
        self.newerThan = newerThan
    }
}

/// Which project each instance's folder is to OpenCode: asked when it is needed, for the question boots the folder.
extension InstanceRegistry {
    /// How long the instance may take, which may have to boot its folder, and how long others.
    private static let ownTimeout = Duration.seconds(5)
    private static let othersTimeout = Duration.seconds(2)

    /// The project that the folder of a ready instance is to OpenCode; nil when it does not say.
    ///
    /// Whether others share it is what the instance knows of its folders, and what other instances say that have answered a
    /// client: the folders of those are open, so a question costs them nothing.
    package func ownProject(_ inquiry: ProjectInquiry) async -> OwnProject? {
        let name = inquiry.name
        if let question = instances[name]?.project, let answer = question.answer,
            answer.number <= inquiry.newerThan || !inquiry.isWatched && !question.isFresh()
        {
            instances[name]?.project.answer = nil
        }
        guard let answer = await learnProject(of: name, within: Self.ownTimeout) else { return nil }
        if answer.identity.id != ProjectIdentity.global {
            let others = instances.keys.filter { $0 != name && isProjectOpen($0) }
            await withTaskGroup(of: Void.self) { group in
                for other in others {
                    group.addTask { _ = await self.learnProject(of: other, within: Self.othersTimeout) }
                }
            }
        }
        if projectsToPublish() != publishedProjects { publishRoutes() }
        return ownProject(of: name, by: answer)
    }

    /// The directories of a project as they are on the disk at this moment; nil when there is no such project.
    package func directories(of name: ProjectName) -> DirectoryScope? {
        let scope = catalogue.assumeIsolated { $0.presentScope(of: name) } ?? instances[name]?.folder.scope
        // Whoever carries the instance's events is told first: what it says of a directory that a request opens now would else be
        // taken for somebody else's.
        if let published = publishedScopes[name], published !== scope { publishRoutes() }
        return scope
    }

    /// The events of an instance say that its project may be another one than the answer with this number said.
    package func projectMayHaveChanged(of name: ProjectName, number: UInt64) {
        guard instances[name]?.project.answer?.number == number else { return }
        instances[name]?.project.answer = nil
        publishRoutes()
    }

    /// What the loops may go by without asking: nothing while it is open whether another instance's project is the same.
    func projectsToPublish() -> [ProjectName: OwnProject] {
        instances.filter { $0.value.project.answer != nil }.keys.reduce(into: [:]) { projects, name in
            guard let answer = instances[name]?.project.answer, let own = ownProject(of: name, by: answer) else {
                return
            }
            let isGlobal = own.id.elementsEqual(ProjectIdentity.global.utf8)
            let isOpen = instances.keys.contains { $0 != name && isProjectOpen($0) }
            if isGlobal || own.isShared || !isOpen { projects[name] = own }
        }
    }

    /// What status says of a project that is the same one to OpenCode as others here.
    func sharingWarnings(on name: ProjectName) -> [String] {
        let sharers = sharers(of: name)
        return sharers.isEmpty ? [] : [InstanceMessage.sharedProject(with: sharers.map(\.string).sorted())]
    }

    // MARK: Asking

    /// Whether an instance has answered a client and was not asked for its project.
    private func isProjectOpen(_ name: ProjectName) -> Bool {
        guard let instance = instances[name], instance.setup.isConfigurationAsked else { return false }
        return instance.project.answer == nil && !instance.project.hasJustFailed(within: Self.othersTimeout)
            && instance.machine.state.address != nil
    }

    /// What one instance answers, or has answered to who asked already; nil when it does not say.
    ///
    /// That is what its callers go by: by the time they run, events may have told that the answer is wrong by now.
    private func learnProject(of name: ProjectName, within timeout: Duration) async -> ProjectQuestion.Answer? {
        guard let instance = instances[name] else { return nil }
        if let answer = instance.project.answer { return answer }
        guard !instance.project.hasJustFailed(within: timeout), let endpoint = instance.route(nil, nil).endpoint else {
            return nil
        }
        guard instance.project.waiting == nil else {
            let answer = await withCheckedContinuation { instances[name]?.project.waiting?.append($0) }
            if let answer { return answer }
            // Of another run, or not answered: asked again only with more time than that question had.
            return await learnProject(of: name, within: timeout)
        }
        instances[name]?.project.waiting = []
        var answer = await ask(endpoint, within: timeout)
        if instances[name]?.generation == endpoint.generation {
            instances[name]?.project.take(answer, within: timeout)
        } else {
            // Another run has begun meanwhile, of which it says nothing.
            answer = nil
        }
        let waiting = instances[name]?.project.waiting ?? []
        instances[name]?.project.waiting = nil
        for continuation in waiting { continuation.resume(returning: answer) }
        return answer
    }

    private func ask(_ endpoint: InstanceEndpoint, within timeout: Duration) async -> ProjectQuestion.Answer? {
        let links = links
        let question = { (path: String) in
            InstanceQuestion(endpoint: endpoint, target: Array(path.utf8), timeout: timeout)
        }
        guard let reply = await links.inquire(question(ProjectIdentity.path(for: endpoint.family))),
            let identity = ProjectIdentity(status: reply.status, body: reply.body, family: endpoint.family)
        else { return nil }
        var folders: [String]? = identity.folders
        if identity.id != ProjectIdentity.global, hasOtherProjects,
            let path = ProjectFolders.path(ofProject: identity.id, for: endpoint.family)
        {
            let reply = await links.inquire(question(path))
            folders = reply.flatMap { ProjectFolders.read(status: $0.status, body: $0.body) }
        }
        lastProjectNumber += 1
        return ProjectQuestion.Answer(
            identity: identity, folders: folders, number: lastProjectNumber, time: .now)
    }

    // MARK: Sharing

    private var hasOtherProjects: Bool { catalogue.assumeIsolated { ($0.names?.count ?? 0) > 1 } }

    private func ownProject(of name: ProjectName, by answer: ProjectQuestion.Answer) -> OwnProject? {
        guard let instance = instances[name] else { return nil }
        let scope = catalogue.assumeIsolated { $0.scope(of: name) } ?? instance.folder.scope
        // Where the instance does not say which folders it knows, others may be among them.
        return OwnProject(
            answer.identity, in: scope, isShared: answer.folders == nil || !sharers(of: name).isEmpty,
            number: answer.number)
    }

    /// Other projects here that are the same one to OpenCode.
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
