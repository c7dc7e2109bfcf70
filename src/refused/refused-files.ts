import { GatewayError } from '../../clients/gateway/error.ts'
import { readListing } from '../../clients/gateway/read-rows.ts'
import { SluiceError } from '../errors.ts'
import { type FileSystem, FileSystemError } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'
import type { Reads } from '../gateway/reads.ts'
import { createWebCall } from '../http/call/web-call.ts'
import { isRecord } from '../is-record.ts'
import { timeOfRefusedId } from '../spool/refused-id.ts'
import { type RefusedRecord, toRefusedRecord } from './refused-record.ts'

/** The files of refused events, in whatever format events have. */
export type RefusedFiles = {
  /** Names of directories in a directory, the last one first; of one that is not there, none. */
  directories(path: string): Promise<readonly string[]>
  /** Names of files with rows in a directory, the first one first; of one that is not there, none. */
  files(path: string): Promise<readonly string[]>
  /**
   * The rows of a file, one at a time; of one that is not there, none.
   * @param mayBe looks at the text of a row before it is parsed, and may end it all
   * @throws DamagedFile after the rows that can be read
   */
  rows(path: string, mayBe?: (text: string) => boolean | 'end'): AsyncGenerator<RefusedRecord, void, undefined>
}

/** Not all rows of a file can be read; the message says why. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}

/** Reads them as the gateway does, which decodes in processes of its own. */
export const createRefusedFiles = (reads: Pick<Reads, 'readJson'>, fileSystem: FileSystem): RefusedFiles => {
  const call = async (path: string, query: Readonly<Record<string, unknown>>): Promise<Response> => {
    const request = new Request(`http://localhost${path}`, { headers: { accept: 'application/json' } })
    const params = { path: String(query['path']), recursive: false, raw: false, pretty: false, content: true }
    return reads.readJson(createWebCall(request).withOperation('readJson', params), () => ({}))
  }
  const list = async (path: string, areDirectories: boolean): Promise<readonly string[]> => {
    const names: string[] = []
    try {
      for await (const listed of fileSystem.listStatus(path))
        for (const status of listed) if (status.isDirectory === areDirectories) names.push(baseName(status.path))
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    return names.sort()
  }
  return {
    directories: async path => (await list(path, true)).toReversed(),
    // As in reads of a directory.
    files: async path => (await list(path, false)).filter(name => !/^[._]/.test(name)),
    rows: async function* readRefusedRows(path, mayBe = () => true) {
      let strange = 0
      try {
        for await (const { kind, text } of readListing({ call }, { path })) {
          const look = kind === 'row' ? mayBe(text) : true
          if (look === 'end') return
          if (!look) continue
          const value: unknown = JSON.parse(text)
          if (kind === 'entry') checkReadable(value)
          else {
            const record = toRefusedRecord(isRecord(value) ? value : {})
            if (timeOfRefusedId(record.id) === undefined) strange++
            else yield record
          }
        }
      } catch (error) {
        if (!isMissing(error)) throw isOfFile(error) ? new DamagedFile(error.message, { cause: error }) : error
      }
      if (strange > 0) throw new DamagedFile(`${strange} of its rows have no id of a refused event`)
    },
  }
}

/** @throws DamagedFile */
const checkReadable = (entry: unknown): void => {
  if (isRecord(entry) && typeof entry['error'] === 'string') throw new DamagedFile(entry['error'])
}

type ReadError = GatewayError | SluiceError | FileSystemError

const isReadError = (error: unknown): error is ReadError =>
  error instanceof GatewayError || error instanceof SluiceError || error instanceof FileSystemError

const isMissing = (error: unknown): boolean => isReadError(error) && error.code === 'not-found'

/** Whether an error is of this file alone, so that others may be read: no file system that is away, and no lack of readers. */
const isOfFile = (error: unknown): error is ReadError =>
  isReadError(error) && error.code !== 'unavailable' && !(error instanceof SluiceError && error.status >= 500)
