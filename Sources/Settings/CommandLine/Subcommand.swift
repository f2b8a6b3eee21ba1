/// One of the program's commands: what help, completions and the manual say of it, and what it takes.
struct Subcommand: Sendable {
    /// A flag without a value.
    struct Switch: Sendable {
        let flag: String
        let help: String
    }

    /// A command and what it does, for the examples.
    struct Example: Sendable {
        let purpose: String
        let lines: [String]
    }

    /// The word that calls it.
    let name: String
    /// What stands behind its name in its usage, such as `list|start|stop|status [NAME] [FLAGS]`.
    let usage: String
    /// What it does, for the list of commands.
    let summary: String
    /// Everything else about it, a paragraph each.
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

    /// The command of that name.
    static func named(_ name: String) -> Subcommand? { all.first { $0.name == name } }

    /// Every command, in the order of help.
    static let all: [Subcommand] = [serve, completion, manual, help]

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

    static let help = Subcommand(
        name: "help", usage: "[COMMAND]", summary: "print this text, or the one about a command", description: [],
        settings: [], words: [])
}
