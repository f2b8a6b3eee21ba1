// SPDX-License-Identifier: Apache-2.0

// The benchmark's event streams and its constant-rate requests. The program has six jobs, each with one epoll loop.
//
//   streams upstream                                                       prints "listening PORT", serves until killed
//   streams hold --port P --target T --streams N                           keeps N streams until standard input ends
//   streams read --port P --target T --streams N --events E --seconds S    reads E events of each stream within S s
//   streams follow … --directory D [--ids] [--size B]                      E shared events of each stream; prints twice
//   streams replay … --directory D --ids --first F                         reads events F to E of one stream repeatedly
//   streams rate --port P --target T --rate R --seconds S                  sends R requests a second for S seconds
//
// Each client job prints one JSON object on each line. BENCH_KEY in the environment is sent as the bearer key.
// The jobs use only the loopback interface.

#include "streams.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    static const struct option known[] = {
        {"port", required_argument, NULL, 'p'},    {"target", required_argument, NULL, 't'},
        {"streams", required_argument, NULL, 'n'}, {"events", required_argument, NULL, 'e'},
        {"rate", required_argument, NULL, 'r'},    {"seconds", required_argument, NULL, 's'},
        {"directory", required_argument, NULL, 'd'}, {"size", required_argument, NULL, 'b'},
        {"first", required_argument, NULL, 'f'},   {"ids", no_argument, NULL, 'i'}, {0}};
    struct options options = {.target = "/"};
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 'p': options.port = atoi(optarg); break;
        case 't': options.target = optarg; break;
        case 'n': options.streams = (unsigned)atoi(optarg); break;
        case 'e': options.events = (unsigned)atoi(optarg); break;
        case 'r': options.rate = (unsigned)atoi(optarg); break;
        case 's': options.seconds = (unsigned)atoi(optarg); break;
        case 'd': options.directory = optarg; break;
        case 'b': options.size = (unsigned)atoi(optarg); break;
        case 'f': options.first = (unsigned)atoi(optarg); break;
        case 'i': options.ids = true; break;
        default: return 2;
        }
    }
    const char *job = optind < count ? arguments[optind] : "";
    if (strcmp(job, "upstream") == 0) return run_upstream();
    if (strcmp(job, "hold") == 0) return run_hold(&options);
    if (strcmp(job, "read") == 0) return run_read(&options);
    if (strcmp(job, "follow") == 0) return run_follow(&options);
    if (strcmp(job, "replay") == 0) return run_replay(&options);
    if (strcmp(job, "rate") == 0) return run_rate(&options);
    fprintf(stderr, "streams: name a job: upstream, hold, read, follow, replay or rate\n");
    return 2;
}
