// SPDX-License-Identifier: Apache-2.0

// Disable the macros with which libcurl checks the types of variadic calls, because this file needs only the functions'
// declarations.
#define CURL_DISABLE_TYPECHECK
#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

// Every function of libcurl that this module calls.
#define FUNCTIONS(each) \
    each(global_init) each(easy_init) each(easy_cleanup) each(easy_strerror) each(easy_setopt) \
    each(easy_getinfo) each(slist_append) each(slist_free_all) each(free) each(multi_init) \
    each(multi_cleanup) each(multi_add_handle) each(multi_remove_handle) each(multi_perform) \
    each(multi_poll) each(multi_wakeup) each(multi_info_read) each(multi_setopt) each(url) \
    each(url_cleanup) each(url_set) each(url_get)

static struct {
#define DECLARE(name) __typeof__(&curl_##name) name;
    FUNCTIONS(DECLARE)
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];

static void load(void) {
    // The library is never unloaded, because libcurl does not support that (curl_global_cleanup(3)).
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason ? reason : "unknown reason");
        return;
    }
#define FIND(name) \
    curl.name = (__typeof__(curl.name))dlsym(library, "curl_" #name); \
    if (!curl.name) snprintf(problem, sizeof problem, "libcurl.so.4 has no function curl_" #name);
    FUNCTIONS(FIND)
}

const char *ccurl_load(void) {
    pthread_once(&once, load);
    return problem[0] ? problem : NULL;
}

CURLcode ccurl_global_init(long flags) { return curl.global_init(flags); }
CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *handle) { curl.easy_cleanup(handle); }
const char *ccurl_easy_strerror(CURLcode code) { return curl.easy_strerror(code); }
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) {
    return curl.slist_append(list, line);
}
void ccurl_slist_free_all(struct curl_slist *list) { curl.slist_free_all(list); }
void ccurl_free(void *pointer) { curl.free(pointer); }

CURLM *ccurl_multi_init(void) { return curl.multi_init(); }
CURLMcode ccurl_multi_cleanup(CURLM *multi) { return curl.multi_cleanup(multi); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle) { return curl.multi_add_handle(multi, handle); }
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle) { return curl.multi_remove_handle(multi, handle); }
CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return curl.multi_perform(multi, running); }
CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count, int timeout, int *ready) {
    return curl.multi_poll(multi, more, count, timeout, ready);
}
CURLMcode ccurl_multi_wakeup(CURLM *multi) { return curl.multi_wakeup(multi); }
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *queued) { return curl.multi_info_read(multi, queued); }

CURLU *ccurl_url(void) { return ccurl_load() ? NULL : curl.url(); }
void ccurl_url_cleanup(CURLU *handle) { curl.url_cleanup(handle); }
CURLUcode ccurl_url_set(CURLU *handle, CURLUPart part, const char *text, unsigned flags) {
    return curl.url_set(handle, part, text, flags);
}
CURLUcode ccurl_url_get(CURLU *handle, CURLUPart part, char **text, unsigned flags) {
    return curl.url_get(handle, part, text, flags);
}

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return curl.easy_setopt(handle, option, value); }
CURLcode ccurl_set_size(CURL *handle, CURLoption option, int64_t value) {
    return curl.easy_setopt(handle, option, (curl_off_t)value);
}
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *list) {
    return curl.easy_setopt(handle, CURLOPT_HTTPHEADER, list);
}
CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *)) {
    return curl.easy_setopt(handle, option, callback);
}
CURLcode ccurl_set_open_socket(CURL *handle, curl_socket_t (*callback)(void *, curlsocktype, struct curl_sockaddr *)) {
    return curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}
CURLcode ccurl_get_private(CURL *handle, void **pointer) {
    return curl.easy_getinfo(handle, CURLINFO_PRIVATE, pointer);
}
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl.multi_setopt(multi, option, value);
}
CURLcode ccurl_set_prerequest(CURL *handle, int (*callback)(void *, char *, char *, int, int)) {
    return curl.easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}
CURLcode ccurl_get_string(CURL *handle, CURLINFO info, char **value) { return curl.easy_getinfo(handle, info, value); }
CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) { return curl.easy_getinfo(handle, info, value); }
CURLcode ccurl_get_certificates(CURL *handle, struct curl_certinfo **value) {
    return curl.easy_getinfo(handle, CURLINFO_CERTINFO, value);
}
