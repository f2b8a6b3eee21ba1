internal import Logging
internal import Projects

/// Folders that were replaced while their server runs: that goes on in the old one.
extension InstanceRegistry {
    /// The list of projects is another one.
    func projectsChanged() {
        for name in instances.keys { warnOfReplacedFolder(name) }
        publishRoutes()
    }

    /// What status says of an instance whose server works in another folder than its project's.
    func replacedFolder(of instance: Instance) -> String? {
        guard let run = instance.run, let folder = run.folder,
            let present = catalogue.assumeIsolated({ $0.identity(of: instance.folder.name) }), present != folder
        else { return nil }
        let working = instance.supervisor.workingFolder(of: instance.folder.name)
        // A server may have gone elsewhere by itself.
        return InstanceMessage.replacedFolder(working.flatMap { $0.identity == folder ? $0.path : nil })
    }

    private func warnOfReplacedFolder(_ name: ProjectName) {
        guard let instance = instances[name], !instance.hasWarnedOfFolder, let sentence = replacedFolder(of: instance) else {
            return
        }
        instances[name]?.hasWarnedOfFolder = true
        logger.warning("An instance needs a restart: \(sentence)", LogField("project", name.string))
    }
}
