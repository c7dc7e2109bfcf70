/** Events that a schema is tried on, or made of. */
import type { Entry } from '../../../clients/gateway/read-rows.ts'
import { FormatError } from '../../../src/errors.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import { parseJson } from '../../../src/formats/json.ts'
import { isObject } from '../../../src/formats/members.ts'
import type { Value } from '../../../src/formats/number.ts'
import { readSmileElements } from '../../../src/formats/smile/reader.ts'
import { CliError, usageError } from '../command/failure.ts'
import { type FileFormat, fileFormats, readBatches, toFileFormat } from '../events/event-files.ts'
import { listDirectory, readRemoteRows } from '../files/files.ts'
import type { GatewayCalls } from '../files/gateway.ts'

/** A payload, and where it is from. */
export type SampleEvent = { readonly payload: { readonly [key: string]: Value }; readonly from: string }

/**
 * The newest events of a type, as the gateway reads its files: those of the newest file first, and in a file in their
 * order. Null counts as absent, because rows do not distinguish them. @param path with the files of the type
 */
export async function* readNewestEvents(
  gateway: GatewayCalls,
  path: string,
): AsyncGenerator<SampleEvent, void, undefined> {
  for await (const file of newestFiles(gateway, path)) {
    for (let start = 0; ; start += pageRows) {
      const { rows, errors } = await readRemoteRows(gateway, file, {
        range: `${start}-${start + pageRows - 1}`,
        recursive: false,
      })
      // A range that begins at 1 or before begins at 0.
      for (const [index, row] of rows.entries()) yield { payload: toPayload(row), from: `${file} row ${start + index}` }
      const [error] = errors
      if (error) throw new CliError(`${error.path}: ${error.error}`, { code: 'unreadable' })
      if (rows.length < pageRows) break
    }
  }
}

/** Rows that are asked for at once. */
const pageRows = 500

/** Files below a directory from the last name to the first: names of buckets and files begin with their time. */
async function* newestFiles(gateway: GatewayCalls, path: string): AsyncGenerator<string, void, undefined> {
  const entries = await listOrNothing(gateway, path)
  for (const entry of entries.filter(isShown).sort(byName).reverse())
    if (entry.isDir) yield* newestFiles(gateway, entry.path)
    else yield entry.path
}

/** A type without events has no directory. */
const listOrNothing = async (gateway: GatewayCalls, path: string): Promise<Entry[]> => {
  try {
    return await listDirectory(gateway, path, {})
  } catch (error) {
    if (error instanceof CliError && error.code === 'not-found') return []
    throw error
  }
}

const isShown = ({ path }: Entry): boolean => !/^[_.]/.test(baseName(path))
const byName = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : 1)

const toPayload = (row: Readonly<Record<string, Value>>): SampleEvent['payload'] =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && name !== 'eventName'))

/** The events of a type in a file here: envelopes, or payloads alone. @throws CliError it cannot be read */
export async function* readLocalEvents(file: string, type: string): AsyncGenerator<SampleEvent, void, undefined> {
  let number = 0
  for await (const { value, from } of readValues(file)) {
    number++
    if (!isObject(value))
      throw new CliError(`${file}: ${from ?? `event ${number}`} is not an object`, { code: 'unreadable' })
    const { eventName, payload } = value
    if (eventName !== undefined && isObject(payload)) {
      if (eventName === type) yield { payload, from: from ?? `event ${number}` }
    } else yield { payload: value, from: from ?? `event ${number}` }
  }
}

type Found = {
  readonly value: Value /** Its place; undefined where only its number identifies it. */
  readonly from?: string
}

async function* readValues(file: string): AsyncGenerator<Found, void, undefined> {
  const format = toSampleFormat(file)
  for await (const { body, lines } of readBatches(file, format)) {
    try {
      if (lines) for (const { number, text } of lines) yield { value: parseJson(text), from: `line ${number}` }
      else if (format === 'smile') for (const value of readSmileElements(body)) yield { value }
      else {
        const value = parseJson(Buffer.from(body).toString('utf8'))
        for (const one of Array.isArray(value) ? value : [value]) yield { value: one }
      }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      throw new CliError(`${file} cannot be read: ${error.message}`, { code: 'unreadable', cause: error })
    }
  }
}

const toSampleFormat = (file: string): Exclude<FileFormat, 'thrift'> => {
  const format = toFileFormat(file)
  if (format !== 'thrift') return format
  const others = fileFormats.filter(one => one !== 'thrift').join(', ')
  throw usageError(`${file}: Thrift events have no field names`, `Take a file of ${others}, or the events of a server.`)
}
