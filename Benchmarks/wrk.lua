-- What wrk reports, as one JSON line. The key comes from the environment, so that no argument list shows it.

wrk.headers["Authorization"] = "Bearer " .. (os.getenv("BENCH_KEY") or "")

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"bad_status":%d,"errors":%d}\n',
        summary.requests, summary.duration / 1e6, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
