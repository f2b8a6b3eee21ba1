package import Addresses
package import Instances
package import OpenCode
package import Projects
package import Systemd

/// What must be known of a running OpenCode server when the gateway that started it is gone, or when something else
/// started it: a few lines of text in a file that only its owner can read.
package struct InstanceRecord: Sendable, Equatable {
    /// The project that it serves.
    package var project: ProjectName
    /// Which run: a random text; under systemd the unit's invocation id.
    package var run: String
    /// The server's process; nil before it has been started.
    package var process: ProcessIdentity?
    /// The machine's boot in which it was started (``Systemd/Machine/bootIdentifier``).
    package var boot: String
    /// Where it listens; nil before that is known.
    package var address: InstanceAddress?
    /// What the server asks for; nil when it asks for nothing.
    package var credentials: InstanceCredentials?
    /// What its environment files said when it was started (``InstanceEnvironment/digest``); nil when that is unknown.
    package var environmentDigest: String?
    /// The folder in which it was started; nil when that is unknown.
    package var folder: FolderIdentity?
    /// What the gateways have learnt of it.
    package var memory: InstanceMemory

    /// A record of a run of this boot.
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

    /// Whether it was written since the machine was booted: otherwise nothing of the run can be left.
    package var isOfThisBoot: Bool { boot == Machine.bootIdentifier }
}

/// The text: a first line that names the form, then one line `name=value` for each field that is known, in any order.
/// A backslash and a line feed in a value are written `\\` and `\n`. Lines of other names are ignored, so that a later
/// version may add some.
extension InstanceRecord {
    private static let form = "viberemote-instance 1"

    /// The record as text.
    package var text: String {
        let fields: [(name: String, value: String?)] = [
            ("project", project.string), ("run", run), ("process", process.map { "\($0.number)" }),
            ("start", process.map { "\($0.startTime)" }), ("boot", boot), ("port", address.map { "\($0.port)" }),
            ("host", address.flatMap { $0.ip == .loopback ? nil : "\($0.ip)" }),
            ("username", credentials?.username), ("password", credentials?.password),
            ("password-of", credentials?.isForTwoOnly == true ? APIFamily.two.rawValue : nil),
            ("environment", environmentDigest), ("folder", folder?.text), ("api", memory.family?.rawValue),
            ("restarts", memory.restarts == 0 ? nil : "\(memory.restarts)"), ("last-error", memory.lastError),
        ]
        let lines = fields.compactMap { field in field.value.map { "\(field.name)=\(Self.escape($0))" } }
        return ([Self.form] + lines).map { $0 + "\n" }.joined()
    }

    /// From text; nil when that is no such record, or when a field is there twice, makes no sense or is missing.
    package init?(text: String) {
        // By scalars: a carriage return before a line feed would make one Character with it.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, lines.first.map({ String($0) }) == Self.form, lines.last?.isEmpty == true else {
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

    /// Nil when the fields are wrong, nil within when they are missing.
    private static func process(_ fields: [String: String]) -> ProcessIdentity?? {
        switch (fields["process"], fields["start"]) {
        case (nil, nil): return .some(nil)
        case (let number?, let start?):
            // Process 0 and negative numbers stand for whole groups in kill(2).
            guard let number = Int32(number), number > 1, let start = UInt64(start) else { return nil }
            return ProcessIdentity(number: number, startTime: start)
        default: return nil
        }
    }

    /// Without a host it is a port of 127.0.0.1, as versions before 2 write it.
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
            switch fields["password-of"] {
            case nil: InstanceCredentials(username: username, password: password)
            case APIFamily.two.rawValue:
                InstanceCredentials(username: username, password: password, isForTwoOnly: true)
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
            guard let restarts = Int(text), restarts >= 0 else { return nil }
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
    /// Without the secret.
    package var description: String { "run \(run) of \(project), process \(process.map { "\($0.number)" } ?? "none")" }
    /// Without the secret.
    package var debugDescription: String { description }
    /// Without the secret.
    package var customMirror: Mirror { Mirror(self, children: ["run": run, "project": project]) }
}
