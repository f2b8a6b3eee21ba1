// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <sqlite3.h>

/// Binds a text with SQLITE_TRANSIENT, so that SQLite copies the text before the call returns. SQLITE_TRANSIENT is a
/// macro that consists of a cast, which Swift cannot import.
static inline int storage_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int length) {
    return sqlite3_bind_text(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// Binds bytes with SQLITE_TRANSIENT. Binds an empty value as an empty blob instead of NULL.
static inline int storage_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    if (length == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}
