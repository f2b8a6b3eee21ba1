import HTTPTypes

/// Memory for the fields of the next request to an instance: that of the last one's, which were copied into its text. So a
/// small request allocates none.
struct SpareFields {
    private var spare = FieldList()

    /// Hands the memory over, so that it is filled without a copy.
    mutating func take() -> FieldList {
        var taken = FieldList()
        swap(&taken, &spare)
        return taken
    }

    /// Takes it back.
    mutating func giveBack(_ fields: consuming FieldList) { spare = fields }
}
