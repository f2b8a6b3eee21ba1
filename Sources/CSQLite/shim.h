#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT, a cast that Swift can't import: SQLite copies what is bound before the call returns.
static inline int storage_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int length) {
    return sqlite3_bind_text(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// The same for bytes; an empty value is one, and not NULL.
static inline int storage_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    if (length == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}
