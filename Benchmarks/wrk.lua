-- SPDX-License-Identifier: Apache-2.0

-- Prints wrk's results as one line of JSON. The environment contains the key, so that no argument list shows it.

wrk.headers["Authorization"] = "Bearer " .. (os.getenv("BENCH_KEY") or "")

-- If BENCH_BODY is set, each request is a POST with a body of BENCH_BODY bytes.
local body = tonumber(os.getenv("BENCH_BODY") or "")
if body then
    wrk.method = "POST"
    wrk.body = string.rep("x", body)
    wrk.headers["Content-Type"] = "application/json"
end

-- If BENCH_FRESH is set, each request uses its own connection.
if os.getenv("BENCH_FRESH") then wrk.headers["Connection"] = "close" end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"bad_status":%d,"errors":%d}\n',
        summary.requests, summary.duration / 1e6, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
