import { ByteQueue } from '../../../src/codecs/byte-queue.ts'
import { FormatError } from '../../../src/errors.ts'
import { defaultRowLimits, toBudgetLimits } from '../../../src/rows/limits.ts'
import { createParquetFormat } from '../../../src/rows/parquet.ts'
import { createParquetWorkers } from '../../../src/rows/parquet-workers.ts'
import { noRegistrar } from '../../../src/rows/registrar.ts'
import { collect, toJson } from '../../unit/rows/files.ts'

/** Parquet files: mostly their footers, which say where everything else is and how much of it. */
export const name = 'parquet'

export const dictionary = [
  'PAR1',
  ...['1500', '19fc', '18', '16', '15fe'].map(hex => Uint8Array.from(Buffer.from(hex, 'hex'))),
]

/**
 * Far less time than the server gives: what takes longer would be stopped there, too. And so much memory that time is
 * over first: where a thread asks for too much of it within one step, the engine ends the whole process. The server
 * reads files in processes that may end; this is one of all tests.
 */
const format = createParquetFormat(createParquetWorkers({ maxSilenceMs: 200, maxHeapMb: 2_048 }))

/** A row group may say that it has any number of rows; what there is to see is in the first ones. */
const maxRows = 10_000

/** Rows, and then at most a known error. @throws FormatError */
export const run = async (bytes: Uint8Array): Promise<void> => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const reading = await format.open({
    queue: new ByteQueue(chunks()),
    row: 0,
    hasMarks: false,
    raw: false,
    nulls: false,
    wanted: { last: maxRows - 1 },
    limits: toBudgetLimits(defaultRowLimits),
    registrar: noRegistrar,
    serializers: [],
    path: '/x.parquet',
    size: bytes.length,
  })
  JSON.stringify(reading.parquet)
  const { rows, error } = await collect({ codec: 'none', ...reading })
  if (error && !(error instanceof FormatError)) throw error
  for (const row of rows) toJson(row)
}
