// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import Instances
package import OpenCodeFamilies
package import Projects
package import Systemd

/// The facts about a running OpenCode server that a gateway needs if an earlier gateway or another program started the
/// server. A record is a few lines of text in a file that only the file's owner can read.
package struct InstanceRecord: Sendable, Equatable {
    /// The project that the server serves.
    package var project: ProjectName
    /// The ID of the run: a random text or, under systemd, the unit's invocation ID.
    package var run: String
    /// The server's first process; nil before the server's start.
    package var process: ProcessIdentity?
    /// The machine's boot ID when the server was started (``Systemd/Machine/bootIdentifier``).
    package var boot: String
    /// The address on which the server listens; nil until it is known.
    package var address: InstanceAddress?
    /// The credentials that the server requires; nil if it requires none.
    package var credentials: InstanceCredentials?
    /// The digest of the environment files at the server's start (``InstanceEnvironment/digest``); nil if unknown.
    package var environmentDigest: String?
    /// The folder in which the server was started; nil if unknown.
    package var folder: FolderIdentity?
    /// The facts about the run that gateways have determined.
    package var memory: InstanceMemory

    /// Creates a record, by default for a run of the current boot.
    package init(
        project: ProjectName, run: String, process: ProcessIdentity? = nil, boot: String = Machine.bootIdentifier,
        address: InstanceAddress? = nil, credentials: InstanceCredentials?, environmentDigest: String?,
        folder: FolderIdentity? = nil, memory: InstanceMemory = InstanceMemory()
    ) {
        self.project = project
        self.run = run
        self.process = process
        self.boot = boot
        self.address = address
        self.credentials = credentials
        self.environmentDigest = environmentDigest
        self.folder = folder
        self.memory = memory
    }

    /// Whether the record was written since the last boot. No process of the run can have survived a reboot.
    package var isOfThisBoot: Bool { boot == Machine.bootIdentifier }
}

/// The text format: a first line that identifies the format, then one line `name=value` for each known field, in any
/// order. In values, a backslash is written as `\\` and a line feed as `\n`. Unknown names are ignored, so that a later
/// version may add fields.
extension InstanceRecord {
    private static let format = "viberemote-instance 1"

    /// The record in its text format.
    package var text: String {
        let fields: [(name: String, value: String?)] = [
            ("project", project.string), ("run", run), ("process", process.map { "\($0.number)" }),
            ("start", process.map { "\($0.startTime)" }), ("boot", boot), ("port", address.map { "\($0.port)" }),
            ("host", address.flatMap { $0.ip == .loopback ? nil : "\($0.ip)" }),
            ("username", credentials?.username), ("password", credentials?.password),
            ("password-of", credentials?.isForTwoOnly == true ? APIFamily.two.rawValue : nil),
            // The field `other-user` is needed only if OpenCode ignores the configured user name. If OpenCode uses the
            // configured user name, the field `username` contains this name.
            (
                "other-user",
                credentials?.configuresOtherUser == true && credentials?.username == InstanceCredentials.defaultUsername
                    ? "yes" : nil
            ),
            ("environment", environmentDigest), ("folder", folder?.text), ("api", memory.family?.rawValue),
            ("restarts", memory.restarts == 0 ? nil : "\(memory.restarts)"), ("last-error", memory.lastError),
        ]
        let lines = fields.compactMap { field in field.value.map { "\(field.name)=\(Self.escape($0))" } }
        return ([Self.format] + lines).map { $0 + "\n" }.joined()
    }

    /// Parses a record. Returns nil if the text has another format, or if a field is duplicated, invalid or missing.
    package init?(text: String) {
        // Split by scalars, because a carriage return and a line feed form a single Character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, lines.first.map({ String($0) }) == Self.format, lines.last?.isEmpty == true else {
            return nil
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst().dropLast() {
            guard let equals = line.firstIndex(of: "="),
                let value = Self.unescape(line[line.index(after: equals)...]),
                fields.updateValue(value, forKey: String(line[..<equals])) == nil
            else { return nil }
        }
        self.init(fields)
    }

    private init?(_ fields: [String: String]) {
        guard let project = fields["project"].flatMap({ ProjectName($0) }), let run = fields["run"], !run.isEmpty,
            let boot = fields["boot"], let process = Self.process(fields), let address = Self.address(fields),
            let credentials = Self.credentials(fields), let folder = Self.folder(fields),
            let memory = Self.memory(fields)
        else { return nil }
        self.init(
            project: project, run: run, process: process, boot: boot, address: address, credentials: credentials,
            environmentDigest: fields["environment"], folder: folder, memory: memory)
    }

    /// Returns the process. The outer optional is nil if the fields are invalid. The inner optional is nil if the
    /// fields are missing.
    private static func process(_ fields: [String: String]) -> ProcessIdentity?? {
        switch (fields["process"], fields["start"]) {
        case (nil, nil): return .some(nil)
        case (let number?, let start?):
            // Reject 0 and negative numbers, because kill(2) interprets them as process groups. Also reject process 1.
            guard let number = Int32(number), number > 1, let start = UInt64(start) else { return nil }
            return ProcessIdentity(number: number, startTime: start)
        default: return nil
        }
    }

    /// Returns the address. A record with a port and without a host contains a port of 127.0.0.1, because ``text``
    /// omits this host.
    private static func address(_ fields: [String: String]) -> InstanceAddress?? {
        guard let text = fields["port"] else { return fields["host"] == nil ? .some(nil) : nil }
        guard let port = UInt16(text), port > 0, let ip = fields["host"].map({ IPAddress($0) }) ?? .loopback else {
            return nil
        }
        return InstanceAddress(ip: ip, port: port)
    }

    private static func folder(_ fields: [String: String]) -> FolderIdentity?? {
        guard let text = fields["folder"] else { return .some(nil) }
        return FolderIdentity(text: text).map { .some($0) }
    }

    private static func credentials(_ fields: [String: String]) -> InstanceCredentials?? {
        switch (fields["username"], fields["password"]) {
        case (nil, nil): .some(nil)
        case (let username?, let password?):
            switch (fields["password-of"], fields["other-user"]) {
            case (nil, let other) where other == nil || other == "yes":
                InstanceCredentials(username: username, password: password, configuresOtherUser: other != nil)
            case (APIFamily.two.rawValue, let other) where other == nil || other == "yes":
                InstanceCredentials(
                    username: username, password: password, isForTwoOnly: true, configuresOtherUser: other != nil)
            default: nil
            }
        default: nil
        }
    }

    private static func memory(_ fields: [String: String]) -> InstanceMemory? {
        var memory = InstanceMemory(lastError: fields["last-error"])
        if let text = fields["api"] {
            guard let family = APIFamily(rawValue: text) else { return nil }
            memory.family = family
        }
        if let text = fields["restarts"] {
            // The gateway continues to count from this number. Reject a number that would overflow.
            guard let restarts = Int(text), restarts >= 0, restarts <= Int(Int32.max) else { return nil }
            memory.restarts = restarts
        }
        return memory
    }

    private static func escape(_ value: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func unescape(_ value: Substring.UnicodeScalarView) -> String? {
        var plain = String.UnicodeScalarView()
        var iterator = value.makeIterator()
        while let scalar = iterator.next() {
            guard scalar == "\\" else {
                plain.append(scalar)
                continue
            }
            switch iterator.next() {
            case "\\": plain.append("\\")
            case "n": plain.append("\n")
            default: return nil
            }
        }
        return String(plain)
    }
}

extension InstanceRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description that omits the secret.
    package var description: String { "run \(run) of \(project), process \(process.map { "\($0.number)" } ?? "none")" }
    /// A description that omits the secret.
    package var debugDescription: String { description }
    /// A mirror that omits the secret.
    package var customMirror: Mirror { Mirror(self, children: ["run": run, "project": project]) }
}
