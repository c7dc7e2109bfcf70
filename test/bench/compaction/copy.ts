/** `node test/bench/compaction/copy.ts SOURCES TARGET DIRECTORY`: DuckDB sorts files into one; what that took is printed as JSON. */
import { queryDuckDb } from '../../foreign/duckdb.ts'
import type { Taken } from './run.ts'

const [sources = '', target = '', directory = ''] = process.argv.slice(2)
await queryDuckDb(`SET memory_limit = '512MB'; SET temp_directory = '${directory}'`)
const before = process.resourceUsage()
const started = performance.now()
await queryDuckDb(
  `COPY (SELECT * FROM read_parquet('${sources}', hive_partitioning = false) ORDER BY eventDate) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
)
const seconds = (performance.now() - started) / 1_000
const after = process.resourceUsage()
const cpuUs = after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime
const taken: Taken = { seconds, cpuSeconds: cpuUs / 1e6, peakMb: (after.maxRSS * 1_024) / 1e6 }
console.log(JSON.stringify(taken))
