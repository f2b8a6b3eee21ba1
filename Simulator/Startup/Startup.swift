// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// Starts the server: reads the settings from the environment, opens the port, and prints the lines that the gateway
/// expects.
struct Startup {
    let options: ServeOptions
    let environment: (String) -> String?

    /// Whether the simulator ends when its parent process ends. Only the value `1` enables this behaviour.
    var endsWithParent: Bool { environment("SIMULATOR_ENDS_WITH_PARENT") == "1" }

    /// The name of the file in the project's folder whose words supplement SIMULATOR_MISBEHAVE. The file affects only
    /// this project, and the file's content can change between two starts.
    static let wordsFile = ".opencode-simulator"

    /// Returns the output of `--version`.
    static func version(
        _ profile: String?, _ environment: (String) -> String?
    ) throws(ServeOptions.Failure) -> String {
        guard let chosen = Edition.chosen(profile ?? environment("SIMULATOR_PROFILE")) else {
            throw ServeOptions.Failure(message: unknownProfile)
        }
        return chosen.version
    }

    private static var unknownProfile: String {
        "the profile does not exist: use one of \(Edition.all.map(\.version).joined(separator: ", "))"
    }

    /// Serves until a signal ends the process. Returns an exit code if the server cannot start.
    func run() -> Int32 {
        let misbehaviour: Misbehaviour
        do {
            misbehaviour = try Misbehaviour("\(environment("SIMULATOR_MISBEHAVE") ?? ""),\(Startup.words())")
        } catch {
            return fail("the misbehaviour \(error.word) is unknown or lacks its value; see --help")
        }
        guard let edition = Edition.chosen(options.profile ?? environment("SIMULATOR_PROFILE")) else {
            return fail(Startup.unknownProfile)
        }
        let start = edition.start
        if options.address == .ipv6, !start.knowsIPv6 {
            return fail("--hostname ::1 is not supported for OpenCode \(edition.version): use 127.0.0.1")
        }
        let password = ServerPassword(start, environment)
        // Block SIGTERM before the first thread starts, because threads inherit the signal mask.
        if misbehaviour.terminationDelay != nil { Startup.holdTermination() }
        let watcher = endsWithParent ? Startup.endWithParent() : nil
        let simulator = application(edition, misbehaviour: misbehaviour, password: password)
        if misbehaviour.isFirstRun { Console.write(lines: start.firstRun) }
        if password == nil, start.warnsWithoutPassword {
            Console.write("Warning: OPENCODE_SERVER_PASSWORD is not set; server is unsecured.\n")
        }
        if options.printsLogs, let line = start.logLine("version=\(edition.version) loading") {
            Console.write(lines: [line])
        }
        if let code = misbehaviour.exitAtStart {
            // A broken configuration ends only OpenCode 1. For OpenCode 2, report that the port is in use.
            if start.termination == .bySignal {
                Console.write(Banner.brokenConfiguration(home: environment("HOME") ?? "/"), to: .error)
            } else {
                Console.write(lines: portTaken(start))
            }
            return code
        }
        let ports = options.ports(start.portChoice)
        guard let server = Startup.listen(on: ports, options.address, { try simulator.serve($0) }) else {
            Console.write(lines: portTaken(start))
            return 1
        }
        let banner = Banner(
            start, options.address, port: server.port, password: password.flatMap { $0.isMade ? $0.text : nil })
        simulator.listens(at: banner.address)
        simulator.misbehaviour.start(refuse: { server.refuse() })
        if start.termination == .byExit { start.termination.install(SIGINT) }
        banner.print(misbehaviour.banner)
        withExtendedLifetime((server, watcher)) { Startup.wait(misbehaviour.terminationDelay, start.termination) }
    }

    private func portTaken(_ start: Profile.Start) -> [String] {
        let log = "\(environment("HOME") ?? "/")/.local/share/opencode/log/simulator.log"
        return start.portTaken.map {
            $0.replacing("{log}", with: log).replacing("{port}", with: "\(options.port)")
        }
    }

    private func application(
        _ edition: Edition, misbehaviour: Misbehaviour, password: ServerPassword?
    ) -> any Application {
        let misbehaviour = MisbehaviourSwitch(misbehaviour, termination: edition.start.termination)
        return switch edition {
        case .one(let profile): simulator(profile, misbehaviour: misbehaviour, password: password)
        case .two(let profile): simulator(profile, misbehaviour: misbehaviour, password: password)
        }
    }

    private func simulator(_ profile: Profile, misbehaviour: MisbehaviourSwitch, password: ServerPassword?)
        -> Simulator
    {
        var credentials: Credentials?
        if let password, profile.access != .ignored {
            credentials = Credentials(
                user: password.user, password: password.text, isInQuery: profile.access == .authorizationOrQuery)
        }
        return Simulator(
            profile: profile, credentials: credentials, misbehaviour: misbehaviour,
            heartbeat: heartbeat ?? profile.heartbeat, pace: pace, directory: workingDirectory,
            home: environment("HOME") ?? "/", store: SessionStore(), bus: EventBus(profile: profile))
    }

    private func simulator(_ profile: Profile2, misbehaviour: MisbehaviourSwitch, password: ServerPassword?)
        -> Simulator2
    {
        let bus = EventBus2()
        let home = environment("HOME") ?? "/"
        let data = environment("XDG_DATA_HOME").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.local/share"
        let credentials = password.map {
            Credentials(user: $0.user, password: $0.text, isInQuery: true, queryDecides: true)
        }
        return Simulator2(
            profile: profile, credentials: credentials, misbehaviour: misbehaviour,
            heartbeat: heartbeat ?? profile.heartbeat, pace: pace, directory: workingDirectory,
            home: home, bus: bus, locations: Locations2(bus: bus, pace: pace, quietMilliseconds: quietMilliseconds),
            worktrees: Worktrees2(root: "\(data)/opencode/worktree"),
            store: SessionStore2(folder: environment("SIMULATOR_STATE"), bus: bus))
    }

    private var heartbeat: Duration? {
        environment("SIMULATOR_HEARTBEAT_MS").flatMap { Int($0) }.map { .milliseconds($0) }
    }

    private var quietMilliseconds: Int { environment("SIMULATOR_QUIET_MS").flatMap { Int($0) } ?? 60_000 }

    private var pace: Int { environment("SIMULATOR_PACE").flatMap { Int($0) }.map { max(0, $0) } ?? 100 }

    /// Listens on the first free port. Returns nil if no port is free.
    static func listen(
        on ports: [UInt16], _ address: Loopback = .ipv4, _ handler: @escaping TestServer.Handler
    ) -> TestServer? {
        for port in ports {
            if let server = try? TestServer(port: port, on: address, remembers: false, handler) { return server }
        }
        return nil
    }

    /// Returns the words in the file in the working directory. If the words include `once`, removes the file.
    private static func words() -> String {
        guard let bytes = try? FileTree.contents(wordsFile) else { return "" }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == "," || $0.isWhitespace }
        if words.contains("once") { FileTree.remove(wordsFile) }
        return words.filter { $0 != "once" }.joined(separator: ",")
    }

    private func fail(_ message: String) -> Int32 {
        Console.write("opencode-simulator: \(message)\n", to: .error)
        return 1
    }

    private var workingDirectory: String { (try? FileTree.resolve(".")) ?? "/" }
}

extension Console {
    /// Writes lines to standard error.
    fileprivate static func write(lines: [String]) {
        for line in lines { write("\(line)\n", to: .error) }
    }
}

extension Startup {
    /// Ends the process as soon as its parent has ended, so that a killed test leaves no process running.
    private static func endWithParent() -> TestThread? {
        guard let parent = try? ProcessWatch(getppid()) else { return nil }
        return try? TestThread {
            while (try? parent.hasEnded(within: .seconds(86_400))) == false {}
            _exit(0)
        }
    }

    /// Blocks SIGTERM for this thread and the threads that it starts.
    private static func holdTermination() {
        var signals = terminationSignal
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for a signal that ends the process. If `delay` is not nil, SIGTERM takes effect only after the delay.
    private static func wait(_ delay: Duration?, _ termination: Termination) -> Never {
        guard let delay else {
            while true { _ = pause() }
        }
        var signals = terminationSignal
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        _ = Latch("the time of a late end").isOpened(within: delay)
        termination.terminate(by: SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        while true { _ = pause() }
    }

    private static var terminationSignal: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        return signals
    }
}
