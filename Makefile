# Short names for what scripts/ does; `make help` lists them.

.PHONY: help demo test coverage integration cleanup-temp-docs clean

help:
	@sed -n 's/^## //p' Makefile

## demo               two reports without a download, then the demo's events in order, in microseconds
demo:
	scripts/inferscope demo
	scripts/inferscope query examples/demo/decode.json "SELECT kind, count(*) AS events, sum(duration_ns) / 1000.0 AS total_us, \
		avg(duration_ns) / 1000.0 AS mean_us, max(duration_ns) / 1000.0 AS longest_us FROM events GROUP BY kind ORDER BY total_us DESC"
	scripts/inferscope query examples/demo/decode.json "SELECT start_ns / 1000.0 AS start_us, duration_ns / 1000.0 AS duration_us, kind, name \
		FROM events ORDER BY start_ns, row LIMIT 60"

## test               every kind of test, few seeds
test:
	scripts/test

## coverage           which lines the tests run, Java and Python: coverage/html/index.html
coverage:
	scripts/coverage

## integration        the demo and all tests
integration: demo test

## cleanup-temp-docs  removes reports and traces below outputs/
cleanup-temp-docs:
	find outputs -mindepth 1 ! -name .gitkeep -delete

## clean              removes everything that was built
clean:
	rm -rf target inferscope-*/target
