import { GatewayError } from '../../clients/gateway/error.ts'
import { readListing } from '../../clients/gateway/read-rows.ts'
import { SluiceError } from '../errors.ts'
import { type FileSystem, FileSystemError } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'
import type { Reads } from '../gateway/reads.ts'
import { createWebCall } from '../http/call/web-call.ts'
import { isRecord } from '../is-record.ts'
import { type RefusedRecord, toRefusedRecord } from './refused-record.ts'

/** The files of refused events, in whatever format events have. */
export type RefusedFiles = {
  /** Names of directories in a directory, the last one first; of one that is not there, none. */
  directories(path: string): Promise<readonly string[]>
  /**
   * The rows of all files of a directory, one at a time; of one that is not there, none.
   * @param mayBe looks at the text of a row before it is parsed, and may end it all
   * @throws SluiceError of a file that cannot be read
   */
  rows(path: string, mayBe?: (text: string) => boolean | 'end'): AsyncGenerator<RefusedRecord, void, undefined>
}

/** Reads them as the gateway does, which decodes in processes of its own. */
export const createRefusedFiles = (reads: Pick<Reads, 'readJson'>, fileSystem: FileSystem): RefusedFiles => {
  const call = async (path: string, query: Readonly<Record<string, unknown>>): Promise<Response> => {
    const request = new Request(`http://localhost${path}`, { headers: { accept: 'application/json' } })
    const params = { path: String(query['path']), recursive: true, raw: false, pretty: false, content: true }
    return reads.readJson(createWebCall(request).withOperation('readJson', params), () => ({}))
  }
  return {
    directories: async path => {
      const names: string[] = []
      try {
        for await (const listed of fileSystem.listStatus(path))
          for (const status of listed) if (status.isDirectory) names.push(baseName(status.path))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
      return names.sort().reverse()
    },
    rows: async function* readRefusedRows(path, mayBe = () => true) {
      try {
        for await (const { kind, text } of readListing({ call }, { path })) {
          const look = kind === 'row' ? mayBe(text) : true
          if (look === 'end') return
          if (!look) continue
          const value: unknown = JSON.parse(text)
          if (!isRecord(value)) continue
          if (kind === 'row') yield toRefusedRecord(value)
          else checkReadable(value)
        }
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
  }
}

/** @throws SluiceError of a damaged file */
const checkReadable = ({ path, error }: Readonly<Record<string, unknown>>): void => {
  if (typeof error === 'string') throw new SluiceError('unreadable', `${String(path)}: ${error}`)
}

const isMissing = (error: unknown): boolean =>
  (error instanceof GatewayError || error instanceof SluiceError || error instanceof FileSystemError) &&
  error.code === 'not-found'
