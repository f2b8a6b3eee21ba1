// SPDX-License-Identifier: Apache-2.0

/// A command of the program, with its arguments and its texts for help, completions and the manual page.
struct Subcommand: Sendable {
    /// A flag without a value.
    struct Switch: Sendable {
        let flag: String
        let help: String
        /// The actions of the command that accept the flag; empty for all.
        var actions: [String] = []
    }

    /// A flag with a value that is not a setting.
    struct ValueFlag: Sendable {
        let flag: String
        let placeholder: String
        let help: String
        /// The actions of the command that accept the flag; empty if the command has no actions.
        let actions: [String]
        var hint = ValueHint.none
        /// Whether the flag may be given several times.
        var isRepeatable = false
    }

    /// An example in the help, with its purpose and its command lines.
    struct Example: Sendable {
        let purpose: String
        let lines: [String]
    }

    /// The first word after a command, which selects what the command does.
    struct Action: Sendable {
        let name: String
        /// The placeholders of the words after the action.
        var arguments: [String] = []
        /// The action's purpose, which the help of the command shows.
        let summary: String
        /// The paragraphs of the action's description. If the array is empty, help shows the summary.
        var description: [String] = []
        let examples: [Example]
    }

    /// The word that selects the command.
    let name: String
    /// The command's usage without its name, such as `list|start|stop|status|history [NAME] [FLAGS]`.
    let usage: String
    /// The command's purpose, which the list of commands shows.
    let summary: String
    /// The paragraphs of the command's description. If the array is empty, help shows the summary.
    let description: [String]
    /// The settings that the command uses.
    let settings: [Setting]
    var switches: [Switch] = []
    var valueFlags: [ValueFlag] = []
    /// The actions of the command, if each of them has a help text of its own.
    var actions: [Action] = []
    /// The words that may follow the command.
    var words: [String] = []
    var examples: [Example] = []
    /// Whether the command is intended only for systemd units.
    var isForUnits = false

    /// Whether words other than flags may follow the command.
    var acceptsWords: Bool { !words.isEmpty || !actions.isEmpty || ["exec", "help"].contains(name) }

    /// The words that a shell offers after the command.
    var firstWords: [String] { words + actions.map(\.name) + (actions.isEmpty ? [] : ["help"]) }

    /// Returns the command with this name; nil if there is none.
    static func named(_ name: String) -> Subcommand? { all.first { $0.name == name } }

    /// All commands, in the order in which help lists them.
    static let all: [Subcommand] = [serve, check, project, key, pair, audit, completion, manual, exec, help]

    static let serve = Subcommand(
        name: "serve", usage: "[FLAGS]", summary: "run the gateway in the foreground",
        description: [
            """
            Run the gateway in the foreground until SIGTERM or Ctrl-C. SIGHUP reloads the configuration file and the key \
            file without interrupting requests or streams.
            """
        ],
        settings: Settings.table,
        examples: [
            Example(
                purpose: "Create a key, then serve the projects in your home directory on port 4000:",
                lines: ["export VIBE_AUTH_SECRET=$(openssl rand -hex 32)", "viberemote-gateway serve"]),
            Example(
                purpose: "Read the key from a file that only you can read:",
                lines: [
                    "(umask 077; openssl rand -hex 32 > ~/.gateway-key)",
                    "viberemote-gateway serve --key-file ~/.gateway-key",
                ]),
            Example(
                purpose: "Accept only clients on this machine, and serve the projects in another directory:",
                lines: ["viberemote-gateway serve --listen 127.0.0.1:4000 --home /home/vibe/projects"]),
            Example(
                purpose: "Log JSON lines and extend a limit, with settings from the environment:",
                lines: ["VIBE_LOG_FORMAT=json VIBE_ANSWER_TIMEOUT=1h viberemote-gateway serve"]),
        ])

    static let check = Subcommand(
        name: "check", usage: "[FLAGS]", summary: "print the settings and check whether serve would work",
        description: [
            """
            Print the value and the source of every setting, with secrets masked. Then check everything that serve needs: \
            the keys, the home directory, the OpenCode command, the projects' environment files, the listen address, the \
            state file and the service manager. This command changes nothing.
            """,
            """
            Exit codes: 0 if no problems were found, 1 if problems were found (each line says what to do), 2 for wrong \
            arguments.
            """,
        ],
        settings: Settings.table,
        examples: [
            Example(
                purpose: "Check a new configuration file before a reload:",
                lines: ["viberemote-gateway check --config /home/vibe/config.new"])
        ])

    static let project = Subcommand(
        name: "project", usage: "list|start|stop|status|history [NAME] [FLAGS]",
        summary: "list, start, stop and inspect projects of the running gateway",
        description: [
            """
            Send a request to the gateway that runs on this machine, with the address and the key from the settings. \
            NAME is the unescaped name of the project's folder. Write -- before a name that begins with a hyphen.
            """,
            """
            Exit codes: 0 if the request succeeded, 1 if the gateway refused it (the reason is on stderr), 2 for wrong \
            arguments or settings, 3 if no gateway could be reached.
            """,
        ],
        settings: Settings.named(["listen", "auth-secret", "key-file", "config"]),
        switches: [
            Switch(flag: "--json", help: "Print the gateway's JSON response instead of a table."),
            Switch(flag: "--names", help: "With list: print only the projects' names, one on each line."),
        ],
        words: ["list", "start", "stop", "status", "history"],
        examples: [
            Example(purpose: "List all projects:", lines: ["viberemote-gateway project list"]),
            Example(purpose: "Start a project:", lines: ["viberemote-gateway project start 'my app'"]),
            Example(
                purpose: "Show the events of a project, with times and reasons:",
                lines: ["viberemote-gateway project history 'my app'"]),
        ])

    static let pair = Subcommand(
        name: "pair", usage: "[FLAGS]", summary: "give a phone or a browser a key by means of a QR code",
        description: [
            """
            Print a QR code and the same address as a link. A phone that scans the code, or a browser that opens the link, \
            receives a key of its own. The code is valid for 5 minutes and works once. `key list` shows the new key, and \
            `key revoke` ends it.
            """,
            """
            The address is --public-url. Without it, the address is the name of this machine in its tailnet, or an address \
            of this machine in the local network, if the gateway listens there.
            """,
            """
            Exit codes: 0 if the code was printed, 1 if the gateway refused it (the reason is on stderr), 2 for wrong arguments \
            or settings, 3 if no gateway could be reached.
            """,
        ],
        settings: Settings.named(["listen", "public-url", "auth-secret", "key-file", "config"]),
        switches: [
            Switch(flag: "--json", help: "Print the code, its expiry and the links as JSON.")
        ],
        valueFlags: [
            ValueFlag(
                flag: "--name", placeholder: "NAME",
                help: "Name of the key. Without it, the device chooses the name.", actions: []),
            ValueFlag(
                flag: "--project", placeholder: "NAME",
                help: """
                    Project that the key can open. Repeat the flag for several projects. Without it, the key can open all \
                    projects.
                    """, actions: [], isRepeatable: true),
            ValueFlag(
                flag: "--allow", placeholder: "SCOPE",
                help: "Scope of the key, as in `key create`. The default is `write`.", actions: [],
                hint: .words(["read", "answer", "write", "run", "admin"])),
            ValueFlag(
                flag: "--expires", placeholder: "TIME",
                help: "Time until the key expires, such as `365d`. The default is never.", actions: []),
        ],
        examples: [
            Example(
                purpose: "Give your phone a key for a year:",
                lines: ["viberemote-gateway pair --name 'my phone' --expires 365d"]),
            Example(
                purpose: "Give a tablet a key that can only read one project:",
                lines: ["viberemote-gateway pair --name tablet --project shop --allow read"]),
        ])

    static let audit = Subcommand(
        name: "audit", usage: "[FLAGS]", summary: "show who did what: the audit log",
        description: [
            """
            Print entries of the audit log, the newest last: when, with which key, from which address, in which project, which \
            action, and with which result. Without --since, print the newest 100 entries.
            """,
            """
            The command sends a request to the gateway that runs on this machine, with the address and the key from the \
            settings. If no gateway runs, the command reads the database in --state-dir itself.
            """,
            """
            Exit codes: 0 if the entries were printed, 1 if the request was refused or not possible (the reason is on stderr), 2 \
            for wrong arguments or settings.
            """,
        ],
        settings: Settings.named(["listen", "auth-secret", "key-file", "state-dir", "config"]),
        switches: [
            Switch(flag: "--json", help: "Print the entries in the form of the HTTP API, the newest first.")
        ],
        valueFlags: [
            ValueFlag(
                flag: "--key", placeholder: "KEY",
                help: "Name or id of a key: print its actions, and the actions that concern it.", actions: []),
            ValueFlag(
                flag: "--project", placeholder: "NAME", help: "Project whose actions the command prints.", actions: []),
            ValueFlag(
                flag: "--since", placeholder: "TIME",
                help: "Age of the oldest entry, such as `1d`. All entries since then are printed.", actions: []),
        ],
        examples: [
            Example(
                purpose: "Show everything that happened in the last day:",
                lines: ["viberemote-gateway audit --since 1d"]),
            Example(
                purpose: "Show what was done with the key of a lost phone:",
                lines: ["viberemote-gateway audit --key phone --since 30d"]),
        ])

    static let completion = Subcommand(
        name: "completion", usage: "bash|zsh|fish", summary: "print a completion script for a shell",
        description: ["Print a script with which the shell completes commands, flags and project names."],
        settings: [], words: CompletionShell.allCases.map(\.rawValue),
        examples: [
            Example(
                purpose: "Install the completions for bash, in this and every new shell:",
                lines: CompletionShell.bash.installation),
            Example(
                purpose: "Install the completions for zsh, in a directory on $fpath:",
                lines: CompletionShell.zsh.installation),
            Example(purpose: "fish:", lines: CompletionShell.fish.installation),
        ])

    static let manual = Subcommand(
        name: "man", usage: "", summary: "print the manual page",
        description: ["Print the manual page in the format of man(1)."], settings: [],
        examples: [
            Example(
                purpose: "Install the manual page for your user:",
                lines: [
                    "mkdir -p ~/.local/share/man/man1",
                    "viberemote-gateway man > ~/.local/share/man/man1/viberemote-gateway.1",
                ])
        ])

    static let exec = Subcommand(
        name: "exec", usage: "INSTANCE [FLAGS]", summary: "run a project's OpenCode server in this process",
        description: [
            """
            Read the project's environment files, create a password, store it where only this user and root can read it, \
            and execute OpenCode in the project's folder, in the same process and cgroup. The unit opencode@.service runs \
            this command (ExecStart=). INSTANCE is the unit's %i: the folder's name in systemd's escaping.
            """,
            """
            Exit codes: 78 if the settings, the project or its environment files are wrong, so that a restart would not \
            help; 75 if another process serves the project; 71 if a system call failed; otherwise OpenCode's own exit code.
            """,
        ],
        settings: Settings.named(["home", "state-dir", "opencode", "instance-password", "isolate-sessions", "config"]),
        isForUnits: true)

    static let help = Subcommand(
        name: "help", usage: "[COMMAND] [ACTION]", summary: "print the list of commands, or the help of one command",
        description: [],
        settings: [], words: [])
}
