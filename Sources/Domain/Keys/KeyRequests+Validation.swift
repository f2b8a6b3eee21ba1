// SPDX-License-Identifier: Apache-2.0

internal import Projects

/// Checks of requested values that need neither the other keys nor the caller's rights. The command line uses them to
/// report a wrong value before it sends a request.
extension KeyDraft {
    /// Throws an error if a value is invalid for every caller.
    package func validate() throws(KeyRefusal) {
        _ = try KeyValues.name(name)
        _ = try KeyValues.projects(projects)
        _ = try KeyValues.expiry(lifetime, from: 0)
        _ = try KeyValues.limits(limits)
        _ = try KeyValues.identity(identity)
        _ = try KeyValues.note(note)
    }
}

extension KeyPatch {
    /// Throws an error if a value is invalid for every caller.
    package func validate() throws(KeyRefusal) {
        if let name { _ = try KeyValues.name(name) }
        if let projects { _ = try KeyValues.projects(projects) }
        if let lifetime { _ = try KeyValues.expiry(lifetime, from: 0) }
        if let streams { _ = try KeyValues.streams(streams) }
        if let identity { _ = try KeyValues.identity(identity) }
        if let note { _ = try KeyValues.note(note) }
    }

    /// Returns the first name in a list that cannot be a project's name; nil if there is none.
    package static func invalidProject(in names: [String]) -> String? { names.first { ProjectName($0) == nil } }

    /// Throws an error if the time for which a previous secret remains valid is invalid for every key.
    package static func validate(keepOld time: Duration?) throws(KeyRefusal) {
        _ = try KeyValues.end(ofOldSecretAfter: time, from: 0)
    }
}
