internal import OpenCode
internal import Systemd

/// What the registry keeps of one project's instance.
struct Instance {
    /// The folder as it was at the last start.
    var folder: ProjectFolder
    var machine: InstanceStateMachine
    /// Its server, while there is one.
    var run: Run?
    var timers: [InstanceStateMachine.Timer: EventSource] = [:]
    var starts: [CheckedContinuation<StartAnswer, Never>] = []
    var stops: [CheckedContinuation<StopAnswer, Never>] = []

    init(folder: ProjectFolder, limits: InstanceLimits) {
        self.folder = folder
        machine = InstanceStateMachine(limits: limits)
    }

    var route: RoutingTable.Route {
        let state = machine.state
        var endpoint: InstanceEndpoint?
        if let port = state.port {
            let authorization = run?.credentials.map { Array($0.authorizationHeader.utf8) }
            endpoint = InstanceEndpoint(port: port, authorization: authorization, generation: machine.generation)
        }
        return RoutingTable.Route(name: folder.name, state: state, endpoint: endpoint)
    }
}
