// SPDX-License-Identifier: Apache-2.0

internal import Clocks

extension Duration {
    /// The duration in the form in which settings are written: `15min`, `90s`, `500ms`.
    var plainText: String {
        let milliseconds = self.milliseconds
        if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000)min" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000)s" }
        return "\(milliseconds)ms"
    }
}
