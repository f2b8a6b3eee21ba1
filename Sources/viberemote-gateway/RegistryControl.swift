import Gateway
internal import Instances
import OpenCode
internal import Projects

/// The registry as the data plane sees it.
struct RegistryControl: ProjectControl {
    let registry: InstanceRegistry

    func start(_ name: ProjectName) async -> StartAnswer { await registry.start(name) }

    func stop(_ name: ProjectName) async -> StopAnswer { await registry.stop(name) }

    func status(_ name: ProjectName) async -> ProjectStatus? { await registry.status(name) }

    func answered(_ name: ProjectName, generation: UInt64) async {
        await registry.answered(name, generation: generation)
    }

    func projects() async -> ProjectListing {
        do {
            return .projects(try await registry.projects())
        } catch {
            return .failed("\(error)")
        }
    }

    func directories(of name: ProjectName) async -> DirectoryScope? { await registry.directories(of: name) }

    func ownProject(_ inquiry: ProjectInquiry) async -> OwnProject? { await registry.ownProject(inquiry) }

    func projectMayHaveChanged(of name: ProjectName, number: UInt64) async {
        await registry.projectMayHaveChanged(of: name, number: number)
    }
}
