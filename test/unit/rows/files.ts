import { readFileSync } from 'node:fs'
import { hadoopOf } from '../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { stringifyJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import type { OpenRows, OpenRowsOptions } from '../../../src/rows/create-open-rows.ts'
import { createOpenRows } from '../../../src/rows/create-open-rows.ts'
import type { Mark, Reading } from '../../../src/rows/reading.ts'
import { noRegistrar } from '../../../src/rows/registrar/registrar.ts'
import type { Row } from '../../../src/rows/row.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const openRows = createOpenRows()

export type OpenOptions = Partial<Omit<OpenRowsOptions, 'status' | 'fileSystem'>> & {
  readonly open?: OpenRows
  readonly fileSystem?: FileSystem
}

/** A file of `test/fixtures/`. */
export const fixture = (name: string): Buffer => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url))

/** Opens bytes as a file of that name. */
export const openBytes = async (name: string, bytes: Uint8Array, options: OpenOptions = {}): Promise<Reading> => {
  const { open = openRows, fileSystem = createMemoryFileSystem(), ...rest } = options
  const path = `/${name}`
  await hadoopOf(fileSystem).create(path, chunks(bytes), { overwrite: true })
  const status = await fileSystem.getFileStatus(path)
  return open({ registrar: noRegistrar, serializers: [], ...rest, fileSystem, status })
}

/** All rows of a reading; those before a failure, and the failure. */
export const collect = async (reading: Reading) => {
  const rows: Row[] = []
  const marks: Mark[] = []
  let error: Error | undefined
  try {
    for await (const batch of reading.batches) {
      for (const row of batch.rows) rows.push(row)
      if (batch.mark) marks.push(batch.mark)
    }
  } catch (reason) {
    error = reason instanceof Error ? reason : new Error('failed', { cause: reason })
  }
  return { rows, marks, error }
}

/** A row as the JSON object that clients see. */
export const toJson = ({ names, values }: Row): string => {
  const fields = names.map((name, i) => `${JSON.stringify(name)}:${stringifyJson(values[i] as Value)}`)
  return `{${fields.join(',')}}`
}

/** Rows of bytes as JSON objects; throws what reading them throws. */
export const readJson = async (name: string, bytes: Uint8Array, options: OpenOptions = {}): Promise<string[]> => {
  const { rows, error } = await collect(await openBytes(name, bytes, options))
  if (error) throw error
  return rows.map(toJson)
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
