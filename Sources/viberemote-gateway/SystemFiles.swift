import EnvironmentFiles
import Settings

extension SettingFiles {
    /// The machine's own files.
    static let system = SettingFiles { (path, audience) throws(PrivateFileError) in
        try PrivateFile.read(path, for: audience, limit: SettingFiles.sizeLimit)
    }
}
