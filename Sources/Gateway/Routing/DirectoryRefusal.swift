import HTTPTypes
import OpenCode

/// Why a request is refused that names a directory outside its project. Pure.
enum DirectoryRefusal {
    /// The sentence for the client; nil when the request names no directory outside `scope`. Costs next to nothing where
    /// there is neither a query nor the field.
    static func of(
        _ fields: FieldList, _ target: ArraySlice<UInt8>, in scope: DirectoryScope, of project: String
    ) -> String? {
        if let mark = target.firstIndex(of: UInt8(ascii: "?")),
            let violation = DirectoryPin.violation(ofQuery: target[(mark + 1)...], in: scope)
        {
            return sentence(violation, project)
        }
        guard var next = fields.firstIndex(of: .openCodeDirectory) else { return nil }
        var values = [fields.value(at: next)]
        while let index = fields.firstIndex(of: .openCodeDirectory, from: next + 1) {
            values.append(fields.value(at: index))
            next = index
        }
        return DirectoryPin.violation(ofFields: values, in: scope).map { sentence($0, project) }
    }

    private static func sentence(_ violation: DirectoryPin.Violation, _ project: String) -> String {
        switch violation {
        case .query:
            """
            The query names a directory outside project \(project): leave it out, or name the project's own folder or \
            one inside it.
            """
        case .field:
            """
            The field x-opencode-directory names a directory outside project \(project): leave it out, or name the \
            project's own folder or one inside it, percent-encoded.
            """
        case .repeatedField:
            "There are several fields x-opencode-directory: send one, or none for project \(project)'s own folder."
        }
    }
}
