/**
 * The columns of event types that Parquet files have had, in the spool's file `schemas`, which is replaced whole. The
 * header (see `format-header.ts`) is followed by a frame of type 1 for each event type, as JSON:
 *
 *     {"eventName": "Click", "columns": {"struct": [["eventName", "text"], ["eventDate", "timestamp"], …]}}
 */
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import {
  isStruct,
  type KindJson,
  parseKind,
  type StructKind,
  toJsonValue,
  UnknownKind,
} from '../../formats/parquet/kind.ts'
import { encodeHeader, formats, readFormat, UnknownFormat } from '../framing/format-header.ts'
import { toFrame } from '../framing/framing.ts'
import { headColumns } from './event-schema.ts'

/** Below the spool's directory. */
export const schemasPath = 'schemas'
const nextPath = 'schemas.next'
const heads = Object.keys(headColumns)

/** The columns of an event type. */
export type KeptSchema = { readonly eventName: string; readonly columns: StructKind }

export type FoundSchemas = {
  readonly schemas: readonly KeptSchema[]
  /** Where the file is damaged; the types after it are lost. */
  readonly damagedAt?: number
}

/** @throws UnknownFormat when another version wrote it */
export const readSchemas = async (disk: Pick<Disk, 'read'>): Promise<FoundSchemas> => {
  const bytes = await disk.read(schemasPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (bytes === undefined) return { schemas: [] }
  const schemas: KeptSchema[] = []
  const frames = readFormat(bytes, schemasPath, 'schemas')
  for (let next = frames.next(); ; next = frames.next()) {
    if (next.done) return next.value < bytes.length ? { schemas, damagedAt: next.value } : { schemas }
    const schema = parseSchema(next.value.payload)
    if (schema === undefined) return { schemas, damagedAt: next.value.start }
    schemas.push(schema)
  }
}

/** Replaces the file; what is written survives a power cut. */
export const writeSchemas = async (disk: Disk, schemas: Iterable<KeptSchema>): Promise<void> => {
  const frames = [encodeHeader('schemas')]
  for (const { eventName, columns } of schemas) {
    const kept: { readonly eventName: string; readonly columns: KindJson } = {
      eventName,
      columns: toJsonValue(columns),
    }
    frames.push(toFrame(formats.schemas.frames.schema, new TextEncoder().encode(JSON.stringify(kept))))
  }
  await writeSynced(disk, nextPath, Buffer.concat(frames))
  await disk.rename(nextPath, schemasPath)
  await disk.fsyncDir('.')
}

/** Makes what another thread has written of it as safe as the log is; where it never wrote any that is fine. */
export const syncSchemas = async (disk: Pick<Disk, 'fsync'>): Promise<void> => {
  await disk.fsync(schemasPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

const parseSchema = (payload: Uint8Array): KeptSchema | undefined => {
  try {
    const { eventName, columns } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
    const kind = parseKind(columns)
    if (typeof eventName !== 'string' || !isStruct(kind)) return undefined
    const names = [...kind.struct.keys()]
    // Rows are put into columns by place.
    return heads.every((name, i) => names[i] === name) ? { eventName, columns: kind } : undefined
  } catch (error) {
    if (error instanceof UnknownKind)
      throw new UnknownFormat(schemasPath, 'schemas', formats.schemas.reads, error.message)
    return undefined
  }
}
