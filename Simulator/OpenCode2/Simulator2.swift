// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The simulated server of OpenCode 2. The files in `Routes` contain its routes.
struct Simulator2: Application {
    let profile: Profile2
    let credentials: Credentials?
    let misbehaviour: MisbehaviourSwitch
    let heartbeat: Duration
    /// The duration of turns, in percent of the recorded duration.
    let pace: Int
    /// The server's working directory, which is also the directory of requests that name no directory.
    let directory: String
    /// The user's home directory, which contains the configuration.
    let home: String
    let bus: EventBus2
    let locations: Locations2
    let worktrees: Worktrees2
    let terminals = Terminals2()
    let store: SessionStore2
    let pending = Pending2()
    /// The address in the banner; empty until the server listens.
    let address = Monitor("")

    var healthPath: String { "/api/info" }
    var idleLimit: Duration { profile.idleLimit }
    var compresses: Bool { true }
    var streamFields: [(String, String)] { AnswerHead2.stream }

    func request(_ received: ReceivedRequest) -> Request {
        Request(received, endsPathAt: ["?", ";"], resolvesDots: true)
    }

    func fields(of answer: SimulatedAnswer, to request: Request) -> [(String, String)] {
        AnswerHead2(answer: answer, request: request).fields
    }

    func outcome(of health: Misbehaviour.Health) -> RequestOutcome? {
        switch health {
        case .serverError: .answer(.blank(500, "Internal Server Error"))
        case .unauthorized: .answer(.unauthorized2)
        case .notFound: .answer(.blank(404, "Not Found"))
        case .page: .answer(.webApp)
        case .hang: .silence
        // No process on Linux has this number (proc(5), pid_max).
        case .unhealthy: .answer(.json(info(pid: 4_194_305)))
        case .withoutPid: .answer(.json(info(pid: nil)))
        }
    }

    var subscriptions: [EventSubscription] { bus.subscriptions }

    func listens(at address: String) { self.address.withLock { $0 = address } }
}
