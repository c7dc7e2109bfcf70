import type { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { readAvroFile, readAvroHeader, writeAvroFile } from '../../formats/avro/container.ts'
import type { BudgetLimits } from '../../formats/budget.ts'
import type { Value } from '../../formats/number.ts'
import { isRecord } from '../../is-record.ts'
import { Members } from '../../tables/members.ts'
import { TableError } from '../../tables/table-error.ts'
import { type Lead, leadEntry, maxRewrittenBytes } from './lead-through.ts'

const limits: BudgetLimits = { of: 'manifest', values: { max: 3_000_000 }, bytes: { max: maxRewrittenBytes } }

/** How long a manifest is once it is rewritten. @param uri as the list names it */
export type RewrittenLength = (uri: string) => Promise<number>

/**
 * A manifest, or a list of manifests, with locations that a client can follow: the same records under the same schema. The
 * same bytes make the same bytes, as a client needs who asks for them in ranges.
 * @param lengthOf absent where it has to be a manifest
 * @throws FormatError, LimitError, TableError, SluiceError what cannot be led through
 */
export const rewriteManifests = async (
  bytes: Buffer,
  where: string,
  lead: Lead,
  lengthOf: RewrittenLength | undefined,
): Promise<Buffer> => {
  const { metadata, records } = readAvroFile(bytes, limits)
  // Locations may become much longer.
  let room = maxRewrittenBytes
  const counting: Lead = (uri, kind) => {
    const led = lead(uri, kind)
    room -= led.length
    if (room < 0) throw new TableError(where, `expected at most ${maxRewrittenBytes} bytes of locations that lead here`)
    return led
  }
  const written: Value[] = []
  for (const record of records) {
    const manifest = new Members(record, where)
    if (manifest.json['manifest_path'] === undefined) {
      written.push({ ...leadEntry(record, where, counting) })
      continue
    }
    if (!lengthOf) throw new TableError(where, 'expected a manifest, found a list of manifests')
    const uri = manifest.text('manifest_path')
    written.push({ ...manifest.json, manifest_path: counting(uri, 'metadata'), manifest_length: await lengthOf(uri) })
  }
  const schema: unknown = JSON.parse(metadata.get('avro.schema') ?? '')
  const own = [...metadata].filter(([name]) => !name.startsWith('avro.'))
  try {
    return writeAvroFile(isRecord(schema) ? schema : {}, Object.fromEntries(own), written, readAvroHeader(bytes).sync)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new SluiceError('unsupported', `${where}: ${cause.message}`, { cause })
  }
}
