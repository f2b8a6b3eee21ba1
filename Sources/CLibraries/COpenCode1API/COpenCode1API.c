// SPDX-License-Identifier: Apache-2.0

#include "COpenCode1API.h"

// With #embed (C23 §6.10.4, "Binary resource inclusion"), the program needs no separate file. Clang supports #embed in
// every mode of C, but warns outside C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char document[] = {
#embed "openapi.json" suffix(, 0)
};

static const char routes[] = {
#embed "routes.txt" suffix(, 0)
};

const char *opencode1_document(void) {
    return document;
}

const char *opencode1_routes(void) {
    return routes;
}
