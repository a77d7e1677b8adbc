-- SPDX-License-Identifier: GPL-2.0
--
-- For wrk -s: prints the figures as a line of JSON that begins with the text of $ASKED. Only
-- done() is defined, so that wrk sends requests as it does without a script.

function done(summary, latency)
	local errors, found = summary.errors, {}
	for what, count in pairs(errors) do
		if count > 0 then
			found[#found + 1] = count .. " " .. what
		end
	end
	print("wrk: requests " .. summary.requests)
	if #found > 0 then
		print("wrk: failed: " .. table.concat(found, ", "))
	end
	if #found > 0 or summary.requests == 0 then
		return
	end
	-- wrk counts in microseconds
	print(string.format('wrk: {%s,"per_request_ns":%d,"request_p50":%d,"request_p90":%d,' ..
		'"request_p99":%d,"request_max":%d}', os.getenv("ASKED"),
		1000 * summary.duration / summary.requests, 1000 * latency:percentile(50),
		1000 * latency:percentile(90), 1000 * latency:percentile(99), 1000 * latency.max))
end
