import Glibc
import TestKit

/// Starts the server: settings from the environment, the port, the lines that the gateway looks for.
struct Startup {
    let options: ServeOptions
    let environment: (String) -> String?

    /// Whether it ends with the process that has started it: only `1` says so.
    var endsWithParent: Bool { environment("TWIN_ENDS_WITH_PARENT") == "1" }

    /// What is read at the start, beside TWIN_MISBEHAVE: a file in the project's folder, so that one project misbehaves
    /// and its next start can be another one.
    static let wordsFile = ".opencode-twin"

    /// What `--version` prints.
    static func version(_ environment: (String) -> String?) -> String {
        (Edition.chosen(environment("TWIN_PROFILE")) ?? .one(.newest)).version
    }

    /// Serves until a signal ends the process; returns an exit code when it cannot.
    func run() -> Int32 {
        let misbehaviour: Misbehaviour
        do {
            misbehaviour = try Misbehaviour("\(environment("TWIN_MISBEHAVE") ?? ""),\(Startup.words())")
        } catch {
            return fail("a word of the misbehaviour is not known or lacks its value: \(error.word); see --help")
        }
        guard let profile = Edition.chosen(options.profile ?? environment("TWIN_PROFILE")) else {
            return fail("there is no such profile: take \(Edition.all.map(\.version).joined(separator: ", "))")
        }
        // Before the first thread, which inherits it.
        if misbehaviour.terminationDelay != nil { Startup.holdTermination() }
        let watcher = endsWithParent ? Startup.endWithParent() : nil
        let twin = application(profile, misbehaviour)
        if misbehaviour.isFirstRun { Console.write(lines: profile.start.firstRun) }
        if (environment("OPENCODE_SERVER_PASSWORD") ?? "").isEmpty, profile.start.warnsWithoutPassword {
            Console.write("Warning: OPENCODE_SERVER_PASSWORD is not set; server is unsecured.\n")
        }
        if options.printsLogs { Console.write(lines: [profile.start.logLine("version=\(profile.version) loading")]) }
        if let code = misbehaviour.exitAtStart {
            Console.write(Banner.brokenConfiguration(home: environment("HOME") ?? "/"), to: .error)
            return code
        }
        guard let server = Startup.listen(on: options.ports, { try twin.serve($0) }) else {
            let log = "\(environment("HOME") ?? "/")/.local/share/opencode/log/twin.log"
            Console.write(
                lines: profile.start.portTaken.map {
                    $0.replacing("{log}", with: log).replacing("{port}", with: "\(options.port)")
                })
            return 1
        }
        twin.listens(at: "http://127.0.0.1:\(server.port)")
        twin.misbehaviour.begin(refuse: { server.refuse() })
        Banner(port: server.port).print(misbehaviour.banner)
        withExtendedLifetime((server, watcher)) { Startup.wait(misbehaviour.terminationDelay) }
    }

    private func application(_ edition: Edition, _ misbehaviour: Misbehaviour) -> any Application {
        switch edition {
        case .one(let profile): twin(profile, MisbehaviourSwitch(misbehaviour))
        case .two(let profile): twin(profile, MisbehaviourSwitch(misbehaviour))
        }
    }

    private func twin(_ profile: Profile, _ misbehaviour: MisbehaviourSwitch) -> Twin {
        let password = environment("OPENCODE_SERVER_PASSWORD") ?? ""
        let credentials =
            password.isEmpty || profile.access == .ignored
            ? nil
            : Credentials(
                user: environment("OPENCODE_SERVER_USERNAME") ?? "opencode", password: password,
                isInQuery: profile.access == .authorizationOrQuery)
        return Twin(
            profile: profile, credentials: credentials, misbehaviour: misbehaviour,
            heartbeat: heartbeat ?? profile.heartbeat, pace: pace, directory: workingDirectory,
            home: environment("HOME") ?? "/", store: SessionStore(), bus: EventBus(profile: profile))
    }

    private func twin(_ profile: Profile2, _ misbehaviour: MisbehaviourSwitch) -> Twin2 {
        let passwords = ["OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"].compactMap(environment)
        let password = passwords.first { !$0.isEmpty }
        let bus = EventBus2()
        return Twin2(
            profile: profile,
            credentials: password.map { Credentials(user: "opencode", password: $0, isInQuery: true, queryDecides: true) },
            misbehaviour: misbehaviour, heartbeat: heartbeat ?? profile.heartbeat, pace: pace,
            directory: workingDirectory, home: environment("HOME") ?? "/", bus: bus,
            locations: Locations2(bus: bus, pace: pace))
    }

    private var heartbeat: Duration? {
        environment("TWIN_HEARTBEAT_MS").flatMap { Int($0) }.map { .milliseconds($0) }
    }

    private var pace: Int { environment("TWIN_PACE").flatMap { Int($0) }.map { max(0, $0) } ?? 100 }

    /// Listens on the first of the ports that is free; nil when none is.
    static func listen(on ports: [UInt16], _ handler: @escaping TestServer.Handler) -> TestServer? {
        for port in ports {
            if let server = try? TestServer(port: port, remembers: false, handler) { return server }
        }
        return nil
    }

    /// The words in the working folder's file; with `once` among them the file is removed.
    private static func words() -> String {
        guard let bytes = try? FileTree.read(wordsFile) else { return "" }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == "," || $0.isWhitespace }
        if words.contains("once") { FileTree.remove(wordsFile) }
        return words.filter { $0 != "once" }.joined(separator: ",")
    }

    private func fail(_ message: String) -> Int32 {
        Console.write("opencode-twin: \(message)\n", to: .error)
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
    /// Ends the process as soon as the one that started it has ended: a test that is killed leaves nothing behind.
    private static func endWithParent() -> TestThread? {
        guard let parent = try? ProcessWatch(getppid()) else { return nil }
        return try? TestThread {
            while (try? parent.hasEnded(within: .seconds(86_400))) == false {}
            _exit(0)
        }
    }

    /// Keeps SIGTERM pending, for this thread and those that it starts.
    private static func holdTermination() {
        var signals = termination
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for a signal. Nothing is caught: it ends the process in the middle of whatever that does, as it ends the real
    /// one. With a delay SIGTERM does so only after that.
    private static func wait(_ delay: Duration?) -> Never {
        guard let delay else {
            while true { _ = pause() }
        }
        var signals = termination
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        _ = Latch("the time of a late end").isOpened(within: delay)
        signal(SIGTERM, SIG_DFL)
        raise(SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        while true { _ = pause() }
    }

    private static var termination: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        return signals
    }
}
