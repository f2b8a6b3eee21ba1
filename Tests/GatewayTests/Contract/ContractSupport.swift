import Foundation
import TestKit
import Testing

extension GatewayUnderTest {
    /// Makes a project whose instance is `instance`, and leaves it stopped.
    func prepare(_ instance: FakeInstance, as project: String = "demo") throws {
        try prepare(port: instance.port, as: project)
    }

    /// Makes a project whose instance announces this port, and leaves it stopped.
    func prepare(port: UInt16, as project: String = "demo") throws {
        try makeProject(project)
        _ = try home.write("\(port)\n", to: "\(project)/upstream-port")
    }

    /// One request with the key is answered with exactly this status and body.
    func expect(
        _ method: String, _ target: String, _ status: Int, _ body: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try request(method, target)
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.text == body, sourceLocation: sourceLocation)
    }
}

/// What is delivered beside the program.
enum Shipped {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file of the repository.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Every file below these folders, by its path from the root.
    static func files(in folders: [String]) -> [String] {
        folders.flatMap { folder in
            let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return (paths?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
    }
}
