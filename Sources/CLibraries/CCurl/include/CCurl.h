// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <curl/curl.h>

// These functions load libcurl on first use. Only one command needs libcurl. If the program were linked to libcurl,
// libcurl and its 18 libraries would add 4 ms to every start of the gateway. Swift code therefore calls the functions
// in this header instead of libcurl's functions.

/// Loads libcurl. Returns NULL on success, and the reason for the failure otherwise (dlopen(3)). If libcurl cannot be
/// loaded, only `ccurl_url` may be called, and it returns NULL.
const char *ccurl_load(void);

CURLcode ccurl_global_init(long flags);
CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *handle);
const char *ccurl_easy_strerror(CURLcode code);
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line);
void ccurl_slist_free_all(struct curl_slist *list);
void ccurl_free(void *pointer);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned count, int timeout, int *ready);
CURLMcode ccurl_multi_wakeup(CURLM *multi);
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *queued);

CURLU *ccurl_url(void);
void ccurl_url_cleanup(CURLU *handle);
CURLUcode ccurl_url_set(CURLU *handle, CURLUPart part, const char *text, unsigned flags);
CURLUcode ccurl_url_get(CURLU *handle, CURLUPart part, char **text, unsigned flags);

// curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic functions, which Swift cannot call. There is
// one function for each argument type.

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *handle, CURLoption option, int64_t value);
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *list);
CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *));
CURLcode ccurl_set_open_socket(CURL *handle, curl_socket_t (*callback)(void *, curlsocktype, struct curl_sockaddr *));
CURLcode ccurl_get_private(CURL *handle, void **pointer);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLcode ccurl_set_prerequest(CURL *handle, int (*callback)(void *, char *, char *, int, int));
CURLcode ccurl_get_string(CURL *handle, CURLINFO info, char **value);
CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode ccurl_get_certificates(CURL *handle, struct curl_certinfo **value);

/// Returns the result of a finished transfer. The result is a member of a union, which is harder to access in Swift.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }

/// Returns the whole address. The type of `addr` covers only the beginning of an address
/// (CURLOPT_OPENSOCKETFUNCTION(3)).
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) { return &address->addr; }
