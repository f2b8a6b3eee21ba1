// Dialects
