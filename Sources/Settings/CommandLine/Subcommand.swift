// SPDX-License-Identifier: Apache-2.0

/// One of the program's commands: its text in help, completions and the manual, and its arguments.
struct Subcommand: Sendable {
    /// A flag without a value.
    struct Switch: Sendable {
        let flag: String
        let help: String
    }

    /// A command and its purpose, for the examples.
    struct Example: Sendable {
        let purpose: String
        let lines: [String]
    }

    /// The word that calls it.
    let name: String
    /// The usage after its name, such as `list|start|stop|status|history [NAME] [FLAGS]`.
    let usage: String
    /// The purpose, for the list of commands.
    let summary: String
    /// The other information about it, a paragraph each.
    let description: [String]
    /// The settings that it uses, by their names in the table.
    let settings: [Setting]
    var switches: [Switch] = []
    /// The words that may follow it.
    var words: [String] = []
    var examples: [Example] = []
    /// Whether it is for systemd's units and not for people.
    var isForUnits = false

    /// Whether anything but flags may follow it.
    var takesWords: Bool { !words.isEmpty || ["exec", "help"].contains(name) }

    /// Returns the command of that name.
    static func named(_ name: String) -> Subcommand? { all.first { $0.name == name } }

    /// All commands, in the order of help.
    static let all: [Subcommand] = [serve, check, project, completion, manual, exec, help]

    static let serve = Subcommand(
        name: "serve", usage: "[FLAGS]", summary: "run the gateway in the foreground",
        description: [
            """
            Runs the gateway in the foreground until SIGTERM or Ctrl-C. SIGHUP has the configuration file and the key \
            file read anew, without ending a request or a stream.
            """
        ],
        settings: Settings.table,
        examples: [
            Example(
                purpose: "Make a key, then serve the projects in your home folder on port 4000:",
                lines: ["export VIBE_AUTH_SECRET=$(openssl rand -hex 32)", "viberemote-gateway serve"]),
            Example(
                purpose: "With the key in a file that only you can read:",
                lines: [
                    "(umask 077; openssl rand -hex 32 > ~/.gateway-key)",
                    "viberemote-gateway serve --key-file ~/.gateway-key",
                ]),
            Example(
                purpose: "On this machine only, with the projects of another folder:",
                lines: ["viberemote-gateway serve --listen 127.0.0.1:4000 --home /home/vibe/projects"]),
            Example(
                purpose: "As JSON lines with a longer limit, set by the environment:",
                lines: ["VIBE_LOG_FORMAT=json VIBE_ANSWER_TIMEOUT=1h viberemote-gateway serve"]),
        ])

    static let check = Subcommand(
        name: "check", usage: "[FLAGS]", summary: "say what is set and whether it would work, and end",
        description: [
            """
            Prints every setting with the value in force and where it came from, secrets masked. Then looks at what \
            serve would need: the keys, the projects' folder, the OpenCode command, the projects' environment files, the \
            address to listen on, the state's file, the service manager. Changes nothing.
            """,
            "Exit code 0: all is well. 1: something would not work; each line says what to do. 2: wrong arguments.",
        ],
        settings: Settings.table,
        examples: [
            Example(
                purpose: "Before a reload, with the file that is to be put in place:",
                lines: ["viberemote-gateway check --config /home/vibe/config.new"])
        ])

    static let project = Subcommand(
        name: "project", usage: "list|start|stop|status|history [NAME] [FLAGS]",
        summary: "list, start, stop and ask after projects of the running gateway",
        description: [
            """
            Asks the gateway that runs on this machine, at the address and with the key of the same settings. NAME is \
            the folder's name as it is; one that begins with a hyphen stands behind --.
            """,
            """
            Exit code 0: done. 1: the gateway has refused; its sentence is on stderr. 2: wrong arguments or settings. \
            3: no gateway was reached.
            """,
        ],
        settings: Settings.named(["listen", "auth-secret", "key-file", "config"]),
        switches: [
            Switch(flag: "--json", help: "Print the gateway's own answer instead of a table."),
            Switch(flag: "--names", help: "Print the projects' names alone, one on each line (list)."),
        ],
        words: ["list", "start", "stop", "status", "history"],
        examples: [
            Example(purpose: "See all projects:", lines: ["viberemote-gateway project list"]),
            Example(purpose: "Start one:", lines: ["viberemote-gateway project start 'my app'"]),
            Example(
                purpose: "See what happened to it, when and why:",
                lines: ["viberemote-gateway project history 'my app'"]),
        ])

    static let completion = Subcommand(
        name: "completion", usage: "bash|zsh|fish", summary: "print what makes a shell complete this program's words",
        description: ["Prints a script for the shell."], settings: [], words: CompletionShell.allCases.map(\.rawValue),
        examples: [
            Example(purpose: "bash, now and in every new shell:", lines: CompletionShell.bash.installation),
            Example(purpose: "zsh, with the folder on $fpath:", lines: CompletionShell.zsh.installation),
            Example(purpose: "fish:", lines: CompletionShell.fish.installation),
        ])

    static let manual = Subcommand(
        name: "man", usage: "", summary: "print the manual page",
        description: ["Prints the manual page in the form that man(1) reads."], settings: [],
        examples: [
            Example(
                purpose: "Install it for yourself:",
                lines: [
                    "mkdir -p ~/.local/share/man/man1",
                    "viberemote-gateway man > ~/.local/share/man/man1/viberemote-gateway.1",
                ])
        ])

    static let exec = Subcommand(
        name: "exec", usage: "INSTANCE [FLAGS]", summary: "become a project's OpenCode server",
        description: [
            """
            For the unit opencode@.service, whose ExecStart it is. INSTANCE is the unit's %i: the folder's name in \
            systemd's escaping. Reads the project's environment files, makes its password, leaves it where only the \
            gateway finds it, and becomes OpenCode in the project's folder: same process, same cgroup.
            """,
            """
            Exit code 78: the settings, the project or its environment files are wrong, and another try would fail too. \
            75: another process serves the project. 71: the system has refused something. Otherwise OpenCode's own.
            """,
        ],
        settings: Settings.named(["home", "opencode", "instance-password", "config"]), isForUnits: true)

    static let help = Subcommand(
        name: "help", usage: "[COMMAND]", summary: "print this text, or the one about a command", description: [],
        settings: [], words: [])
}
