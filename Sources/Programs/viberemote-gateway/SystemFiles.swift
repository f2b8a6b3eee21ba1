// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Settings

extension SettingFiles {
    /// The access to the files of this machine.
    static let system = SettingFiles { (path, audience) throws(PrivateFileError) in
        try PrivateFile.read(
            path, for: audience, credentials: Environment.variables["CREDENTIALS_DIRECTORY"],
            limit: SettingFiles.sizeLimit)
    }
}
