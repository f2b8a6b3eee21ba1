/// A shell that completions are made for.
enum CompletionShell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// How the script is put in place.
    var installation: [String] {
        switch self {
        case .bash:
            [
                "folder=~/.local/share/bash-completion/completions; mkdir -p $folder",
                "viberemote-gateway completion bash > $folder/viberemote-gateway",
            ]
        case .zsh: ["viberemote-gateway completion zsh > ~/.zfunc/_viberemote-gateway"]
        case .fish:
            [
                "viberemote-gateway completion fish > ~/.config/fish/completions/viberemote-gateway.fish"
            ]
        }
    }
}
