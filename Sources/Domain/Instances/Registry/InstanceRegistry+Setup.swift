// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import OpenCodeFamilies
package import Projects
internal import Systemd

/// Detects configuration problems of healthy instances.
extension InstanceRegistry {
    /// The delay before the query for the models. A healthy OpenCode 2 reports no models for up to a second.
    private static let modelsDelay = Duration.seconds(5)
    /// The time limit for one query. An instance that is installing plug-ins responds late, and no caller waits for the
    /// query.
    private static let patience = Duration.seconds(60)

    /// Records that a run has responded to a client's request. From then on, the project's folder is open in the run,
    /// so queries about the folder are cheap. Before a client's request, a query would open the folder.
    package func answered(_ name: ProjectName, generation: UInt64) {
        guard let instance = instances[name], instance.generation == generation,
            !instance.setup.isConfigurationRequested
        else { return }
        instances[name]?.setup.isConfigurationRequested = true
        // Another instance may have the same OpenCode project, so the published projects may have changed.
        if projectsToPublish() != publishedProjects { publishRoutes() }
        sendQuery(.configuration, of: name)
        instances[name]?.setup.modelsDelay = try? loop.timer(after: Self.modelsDelay) { [weak self] in
            self?.assumeIsolated { $0.sendQuery(.models, of: name) }
        }
    }

    /// After a healthy response, repeats the queries whose results may have changed.
    func lookAtSetup(of name: ProjectName) {
        guard let instance = instances[name] else { return }
        if instance.family == .two, instance.setup.migration != .completed { sendQuery(.migration, of: name) }
        if instance.setup.hasNoModels { sendQuery(.models, of: name) }
    }

    private func sendQuery(_ query: SetupQuery, of name: ProjectName) {
        guard let instance = instances[name], let run = instance.run, let address = instance.machine.state.address,
            let family = instance.family, let path = query.path(for: family),
            instances[name]?.setup.pendingQueries.insert(query).inserted == true
        else { return }
        let instanceQuery = InstanceQuery(
            address: address, target: Array(path.utf8),
            authorization: run.credentials?.authorization(for: family).map { Array($0.utf8) }, timeout: Self.patience)
        let links = links
        Task {
            let reply = await links.inquire(instanceQuery)
            guard instances[name]?.generation == instance.generation else { return }
            instances[name]?.setup.pendingQueries.remove(query)
            if let reply { recordSetup(reply, to: query, of: name) }
        }
    }

    private func recordSetup(_ reply: InstanceReply, to query: SetupQuery, of name: ProjectName) {
        let before = instances[name]?.setup.warnings ?? []
        switch query {
        case .configuration:
            instances[name]?.setup.configurationTrouble = ConfigurationAnswer.trouble(
                status: reply.status, body: reply.body)
        case .models:
            // A response that cannot be parsed is no reason for a warning. The response is truncated or from another
            // version of OpenCode.
            let hasModels = ModelsAnswer.hasModels(status: reply.status, body: reply.body) ?? true
            instances[name]?.setup.hasNoModels = !hasModels
        case .migration:
            if let answer = MigrationAnswer(status: reply.status, body: reply.body) {
                instances[name]?.setup.migration = answer
            }
        }
        for warning in instances[name]?.setup.warnings ?? [] where !before.contains(warning) {
            logger.warning(
                "the instance needs attention", LogField("project", name.string), LogField("reason", warning))
        }
    }
}
