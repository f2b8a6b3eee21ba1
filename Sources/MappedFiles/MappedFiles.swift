// MappedFiles
