import { ByteQueue } from '../../../src/codecs/byte-queue.ts'
import { FormatError } from '../../../src/errors.ts'
import { PageMemory } from '../../../src/formats/parquet/pages/page-memory.ts'
import { toRowLimits } from '../../../src/rows/limits.ts'
import { parquetFormat } from '../../../src/rows/parquet/parquet.ts'
import { noRegistrar } from '../../../src/rows/registrar/registrar.ts'
import { collect, toJson } from '../../unit/rows/files.ts'

/** Parquet files: mostly their footers, which say where everything else is and how much of it; what they say may be
 * anything, and memory and time follow the rows that were asked for. */
export const name = 'parquet'

export const dictionary = [
  'PAR1',
  ...['1500', '19fc', '18', '16', '15fe'].map(hex => Uint8Array.from(Buffer.from(hex, 'hex'))),
]

/** A row group may say that it has any number of rows; what there is to see is in the first ones. */
const maxRows = 10_000

/** Rows, and then at most a known error. @throws FormatError */
export const run = async (bytes: Uint8Array): Promise<void> => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const reading = await parquetFormat.open({
    queue: new ByteQueue(chunks()),
    row: 0,
    hasMarks: false,
    raw: false,
    nulls: false,
    wanted: { last: maxRows - 1 },
    limits: toRowLimits(0),
    memory: new PageMemory(),
    unfolding: {},
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
