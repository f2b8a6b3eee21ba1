import TestKit

@testable import opencode_twin

/// The twin, started as a program on a free port.
struct TwinProcess {
    let process: TestProcess
    let port: UInt16
    private let folder: TemporaryDirectory

    /// Starts it. `words` go into the folder's own file, `misbehave` into the environment.
    init(environment: [String: String] = [:], misbehave: String = "", words: String? = nil) throws {
        folder = try TemporaryDirectory()
        if let words { try folder.write(words, to: Startup.wordsFile) }
        let environment = environment.merging(["TWIN_MISBEHAVE": misbehave]) { $1 }
        process = try TestProcess(
            try BuiltProducts.path("opencode-twin"), ["serve", "--port", "0", "--hostname", "127.0.0.1"],
            environment: environment, directory: folder.path)
        let banner = try process.waitForLine(on: .output) { $0.contains("listening on") }
        guard let port = UInt16(banner.split(separator: ":").last ?? "") else {
            throw TestKitError.malformed("a banner without a port: \(banner)")
        }
        self.port = port
    }

    var directory: String { folder.path }

    /// Whether a file is in the folder.
    func has(_ name: String) throws -> Bool { try FileTree.names(in: folder.path).contains(name) }

    func get(_ target: String) throws -> TestResponse { try TestClient.request(port, "GET", target) }

    func post(_ target: String, _ body: String = "{}") throws -> TestResponse {
        try TestClient.request(port, "POST", target, text: body)
    }

    /// A new session's id.
    func newSession() throws -> String {
        guard let id = try post("/session").json["id"]?.text else {
            throw TestKitError.malformed("a session without id")
        }
        return id
    }

    /// A session in which one short turn is over.
    func usedSession() throws -> String {
        let id = try newSession()
        _ = try post("/session/\(id)/message", Prompt.text("hello [interval=0ms silent=0ms]"))
        return id
    }
}

/// Bodies of prompts.
enum Prompt {
    static func text(_ text: String, model: String = "talk") -> String {
        #"{"model":{"providerID":"twin","modelID":"\#(model)"},"parts":[{"type":"text","text":"\#(text)"}]}"#
    }
}

extension TestResponse {
    /// The body as JSON; null when it is none.
    var json: JSON { (try? JSONParser.parse(body)) ?? .null }
}

extension EventStreamReader {
    /// The next event as JSON.
    func nextJSON(within limit: Duration = .seconds(10)) throws -> JSON {
        guard let event = try next(within: limit) else { throw TestKitError.closed(waitingFor: "an event") }
        return try JSONParser.parse(Array(event.utf8))
    }

    /// Every event up to and including the `count`th of a type.
    func events(through type: String, count: Int = 1, then more: Int = 0) throws -> [JSON] {
        var events: [JSON] = []
        while events.count(where: { $0["type"]?.text == type }) < count { events.append(try nextJSON()) }
        for _ in 0..<more { events.append(try nextJSON()) }
        return events
    }
}
