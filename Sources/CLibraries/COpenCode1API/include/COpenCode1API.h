// SPDX-License-Identifier: Apache-2.0

#ifndef COPENCODE1API_H
#define COPENCODE1API_H

/// Returns the text of openapi.json, which ends with a zero byte.
const char *_Nonnull opencode1_document(void);

/// Returns the text of routes.txt, which ends with a zero byte.
const char *_Nonnull opencode1_routes(void);

#endif
