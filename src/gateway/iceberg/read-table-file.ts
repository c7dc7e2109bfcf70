import { Buffer } from 'node:buffer'
import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { parsePath } from '../../filesystem/path.ts'
import { stringifyJson } from '../../formats/json.ts'
import type { Call } from '../../http/call/call.ts'
import { readFileWhole } from '../../tables/files.ts'
import { parseMetadata } from '../../tables/metadata.ts'
import type { TablePlace } from '../../tables/table-place.ts'
import { toTablePath } from '../../tables/table-place.ts'
import { toUnreadable } from '../answers.ts'
import { answerFile } from '../bytes/answer-file.ts'
import type { ToBodyOptions } from '../context.ts'
import { toStateTag } from '../state-tag.ts'
import type { FilesAndTables } from '../tables/table-directories.ts'
import { createLead, maxRewrittenBytes, toGatewayMetadata } from './lead-through.ts'
import { type RewrittenLength, rewriteManifests } from './rewrite-manifests.ts'
import type { RewriteMemory } from './rewrite-memory.ts'

type FileCall = Call<Params<'icebergFile'>>

type Options = FilesAndTables & { readonly memory: RewriteMemory; readonly toBodyOptions: ToBodyOptions }

/** Answers `/iceberg/files/<path>`: metadata of a table, or manifests of it, with locations that lead through this gateway. */
export const readTableFile = async (options: Options, call: FileCall): Promise<Response> => {
  const { fileSystem, tables } = options
  const path = parsePath(call.params.path)
  const status = await fileSystem.getFileStatus(path)
  const [, table] = /^(.+)\/metadata\/[^/]+\.(?:avro|metadata\.json)$/.exec(path) ?? []
  const loaded = table === undefined || status.isDirectory ? undefined : await tables.load(table, call.signal)
  if (loaded === undefined) throw new SluiceError('not-found', `"${path}" is neither table metadata nor a manifest`)
  const bytes = await rewrite(options, call, loaded.place, status, 'any')
  const read = ({ offset = 0, length = bytes.length } = {}): Promise<ReadableStream<Uint8Array>> =>
    Promise.resolve(toStream(bytes.subarray(offset, offset + length)))
  const file = { status: { ...status, length: bytes.length }, read, close: () => {} }
  return await answerFile(options, call, file)
}

/** @param kind what a list of manifests names is a manifest: of a list that names lists, or itself, there is no end */
const rewrite = async (
  options: Options,
  call: FileCall,
  place: TablePlace,
  status: FileStatus,
  kind: 'any' | 'manifest',
): Promise<Buffer> => {
  const { path } = status
  const lead = createLead(call, place)
  const key = JSON.stringify([lead(`${place.location}/x`, 'data'), path, toStateTag(status)])
  return await options.memory.find(key, async () => {
    try {
      const bytes = await readFileWhole(options.fileSystem, path, maxRewrittenBytes, call.signal)
      if (path.endsWith('.json')) {
        const { json } = parseMetadata(bytes.toString('utf8'), path)
        return Buffer.from(stringifyJson(toGatewayMetadata(json, call, place)))
      }
      return await rewriteManifests(bytes, path, lead, kind === 'any' ? createLengths(options, call, place) : undefined)
    } catch (error) {
      throw toUnreadable(error)
    }
  })
}

/** Each manifest once, however often a list names it. */
const createLengths = (options: Options, call: FileCall, place: TablePlace): RewrittenLength => {
  const lengths = new Map<string, number>()
  return async uri => {
    call.signal.throwIfAborted()
    const known = lengths.get(uri)
    if (known !== undefined) return known
    const manifest = await options.fileSystem.getFileStatus(toTablePath(place, uri))
    const { length } = await rewrite(options, call, place, manifest, 'manifest')
    lengths.set(uri, length)
    return length
  }
}

const toStream = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: controller => {
      if (bytes.length > 0) controller.enqueue(bytes)
      controller.close()
    },
  })
