#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast of a number to a function, which Swift does not import. */
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
