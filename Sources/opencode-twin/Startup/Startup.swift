import Glibc
import TestKit

/// Starts the server: settings from the environment, the port, the lines that the gateway looks for.
struct Startup {
    let options: ServeOptions
    let environment: (String) -> String?

    /// The recorded end of a server whose named port is taken: colour codes included.
    private static let portTaken = "\u{1b}[91m\u{1b}[1mError: \u{1b}[0mUnexpected error\n\nServeError\n"

    /// What `--version` prints.
    static func version(_ environment: (String) -> String?) -> String {
        (Profile.chosen(environment("TWIN_PROFILE")) ?? .newest).version
    }

    /// Serves until a signal ends the process; returns an exit code when it cannot.
    func run() -> Int32 {
        let misbehaviour: Misbehaviour
        do {
            misbehaviour = try Misbehaviour(environment("TWIN_MISBEHAVE") ?? "")
        } catch {
            return fail("TWIN_MISBEHAVE has a word that is not known: \(error)")
        }
        guard let profile = Profile.chosen(environment("TWIN_PROFILE")) else {
            return fail("TWIN_PROFILE is not one of: \(Profile.all.map(\.version).joined(separator: ", "))")
        }
        if misbehaviour.ignoresTermination { signal(SIGTERM, SIG_IGN) }
        let twin = twin(profile, misbehaviour)
        if twin.credentials == nil, profile.warnsWithoutPassword {
            Console.write("Warning: OPENCODE_SERVER_PASSWORD is not set; server is unsecured.\n")
        }
        guard let server = Startup.listen(on: options.ports, { try twin.serve($0) }) else {
            Console.write(Startup.portTaken, to: .error)
            return 1
        }
        let grandchild = misbehaviour.leavesGrandchildren ? leaveGrandchild() : nil
        announce(port: server.port, misbehaviour.banner)
        // Nothing is caught: a signal ends the process in the middle of whatever it does, as it ends the real one.
        while true {
            withExtendedLifetime((server, grandchild)) { _ = pause() }
        }
    }

    private func twin(_ profile: Profile, _ misbehaviour: Misbehaviour) -> Twin {
        let password = environment("OPENCODE_SERVER_PASSWORD") ?? ""
        let credentials =
            password.isEmpty || !profile.honoursPassword
            ? nil : Credentials(user: environment("OPENCODE_SERVER_USERNAME") ?? "opencode", password: password)
        let heartbeat = environment("TWIN_HEARTBEAT_MS").flatMap { Int($0) }.map { Duration.milliseconds($0) }
        return Twin(
            profile: profile, credentials: credentials, misbehaviour: misbehaviour,
            heartbeat: heartbeat ?? profile.heartbeat, directory: workingDirectory,
            home: environment("HOME") ?? "/", store: SessionStore(), bus: EventBus(profile: profile))
    }

    /// Listens on the first of the ports that is free; nil when none is.
    static func listen(on ports: [UInt16], _ handler: @escaping TestServer.Handler) -> TestServer? {
        for port in ports {
            if let server = try? TestServer(port: port, remembers: false, handler) { return server }
        }
        return nil
    }

    private func announce(port: UInt16, _ banner: Misbehaviour.Banner) {
        let start = "opencode server listening on http://127.0.0.1:"
        switch banner {
        case .never: return
        case .atOnce: Console.write("\(start)\(port)\n")
        case .late(let delay):
            wait(delay)
            Console.write("\(start)\(port)\n")
        case .split:
            let digits = "\(port)"
            Console.write(start + digits.prefix(2))
            wait(.milliseconds(50))
            Console.write("\(digits.dropFirst(2))\n")
        }
    }

    private func leaveGrandchild() -> TestProcess? {
        let child = try? TestProcess(
            "/bin/sh", ["-c", "trap '' TERM; echo ready; exec sleep 600"], ownGroup: false)
        // It is told about only once it ignores the signal.
        guard let child, (try? child.waitForLine { $0 == "ready" }) != nil else { return nil }
        Console.write("twin grandchild \(child.pid)\n")
        return child
    }

    private func wait(_ time: Duration) {
        _ = Latch("the time of a late banner").isOpened(within: time)
    }

    private func fail(_ message: String) -> Int32 {
        Console.write("opencode-twin: \(message)\n", to: .error)
        return 1
    }

    private var workingDirectory: String { (try? FileTree.resolve(".")) ?? "/" }
}
