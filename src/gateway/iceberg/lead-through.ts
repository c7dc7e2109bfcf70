/**
 * Metadata of tables whose locations lead through this gateway: `/files/…` for data, `/iceberg/files/…` for metadata and
 * manifests, which are rewritten in the same way. So a client that reaches nothing but this server reads the table.
 */
import { SluiceError } from '../../errors.ts'
import type { Value } from '../../formats/number.ts'
import type { Call } from '../../http/call/call.ts'
import { toBaseUrl, toServerAddress } from '../../http/origin/origin.ts'
import type { LoadedTable } from '../../tables/catalog.ts'
import { type Json, Members } from '../../tables/members.ts'
import { type TablePlace, toTablePath } from '../../tables/table-place.ts'
import { toFileLink, toUrlPath } from '../pages/elements/links.ts'

type Asked = Pick<Call<unknown>, 'header' | 'secure'>

/**
 * Where a client finds a file of a table that the metadata names: one that names others is rewritten.
 * @throws TableError the file is not below the table
 */
export type Lead = (uri: string, kind: 'metadata' | 'data') => string

export const createLead = (call: Asked, place: TablePlace): Lead => {
  const base = toBaseUrl(toServerAddress(call))
  return (uri, kind) => {
    const path = toTablePath(place, uri)
    return `${base}${kind === 'metadata' ? `/iceberg/files${toUrlPath(path)}` : toFileLink(path)}`
  }
}

/** A table, as a client gets it. */
export const toGatewayTable = (
  call: Asked,
  { place, metadata, metadataUri }: LoadedTable,
): { [name: string]: Value } => {
  const lead = createLead(call, place)
  return { 'metadata-location': lead(metadataUri, 'metadata'), metadata: toGatewayMetadata(metadata.json, call, place) }
}

/** Statistics and earlier metadata are left out: no reader needs them. */
export const toGatewayMetadata = (json: Json, call: Asked, place: TablePlace): { [name: string]: Value } => {
  const lead = createLead(call, place)
  const snapshots = new Members(json, place.path).list('snapshots').map(snapshot => ({
    ...snapshot.json,
    'manifest-list': lead(snapshot.text('manifest-list'), 'metadata'),
  }))
  return {
    ...json,
    location: `${toBaseUrl(toServerAddress(call))}${toFileLink(place.path)}`,
    snapshots,
    properties: Object.fromEntries(new Members(json, place.path).texts('properties').entries().filter(isForReaders)),
    'metadata-log': [],
    statistics: [],
    'partition-statistics': [],
  }
}

/** A client may go by properties of a table as by its own settings: by those of how it is stored, and by no others. */
const isForReaders = ([name]: readonly [string, string]): boolean =>
  /^(?:read|write|schema|commit|history|gc|format)[.-]/.test(name)

/** Most bytes of a manifest, or of a list of them, as stored and as rewritten. */
export const maxRewrittenBytes = 32 * 1024 * 1024

/** The record of a manifest: its file is found by `lead`. @throws SluiceError, TableError */
export const leadEntry = (record: Value, where: string, lead: Lead): Json => {
  const entry = new Members(record, where)
  const file = new Members(entry.json['data_file'], where)
  const isDeleted = entry.integer('status') === 2
  if (!isDeleted && file.optionalInteger('content') === positionDeletes) {
    const reason = 'has rows deleted by position, in files that name data files by their place on the cluster'
    throw new SluiceError('unsupported', `${where} ${reason}: read it without warehouse=gateway`)
  }
  const referenced = file.json['referenced_data_file']
  return {
    ...entry.json,
    data_file: {
      ...file.json,
      file_path: lead(file.text('file_path'), 'data'),
      ...(typeof referenced === 'string' ? { referenced_data_file: lead(referenced, 'data') } : {}),
    },
  }
}

/** Of the member `content`. */
const positionDeletes = 1
