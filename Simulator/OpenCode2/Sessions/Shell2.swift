// SPDX-License-Identifier: Apache-2.0

/// An execution of a shell command.
struct Shell2 {
    let id = Identifier.make("sh")
    let command: String
    let session: String
    let directory: String
    private let file: String
    private let started = Clock.milliseconds
    private var completed: Int?
    /// Whether a user started the command, independently of the model.
    private let isBackground: Bool

    init(command: String, session: Session2, home: String, isBackground: Bool = false) {
        self.command = command
        self.session = session.id
        directory = session.directory
        self.isBackground = isBackground
        file = "\(home)/.local/share/opencode/shell/\(session.project.id)/\(id).out"
    }

    mutating func finish() {
        completed = Clock.milliseconds
    }

    /// The execution in the format of `shell.created`.
    var json: JSON { info(pid: nil) }

    /// Returns the execution in the format of a session's events, which include a process id.
    func info(pid: Int?) -> JSON {
        let owner: JSON = ["sessionID": .string(session)]
        let time: JSON = ["started": .integer(started)]
        let info: JSON = [
            "id": .string(id), "status": completed == nil ? "running" : "exited", "command": .string(command),
            "cwd": .string(directory), "shell": "/usr/bin/bash", "file": .string(file),
            "metadata": owner.adding(isBackground ? [("background", true)] : []),
            "time": time.adding(completed.map { [("completed", .integer($0))] } ?? []),
        ]
        return info.adding(pid.map { [("pid", .integer($0))] } ?? []).adding(completed == nil ? [] : [("exit", 0)])
    }

    /// The data of the event `shell.exited`.
    var exit: JSON { ["id": .string(id), "exit": 0, "status": "exited"] }

    /// Returns the message that records a completed execution.
    func message(_ message: String, _ output: JSON) -> Session2.Message {
        var time: JSON = ["created": .integer(started)]
        if let completed { time = time.adding([("completed", .integer(completed))]) }
        return Session2.Message(
            id: message, type: "shell",
            json: [
                "id": .string(message), "metadata": ["background": .bool(isBackground)], "time": time,
                "type": "shell", "shellID": .string(id), "command": .string(command), "status": "exited", "exit": 0,
                "output": output,
            ])
    }
}
